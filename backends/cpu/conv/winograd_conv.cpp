#include "backends/cpu/conv/winograd_conv.h"

#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/direct_conv.h"
#include "backends/cpu/conv/winograd_transforms.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "core/passes/winograd_range.h"

#include <array>

namespace nnrt::cpu {
namespace {

// The transformed points of a group of tiles: [tiles][channels] per point.
struct Points {
  float* data;
  int64_t channels, step;

  static int64_t step_of(int64_t tiles, int64_t channels) {
    constexpr int64_t kOdd = 16;  // floats; keeps points off the same cache sets
    return tiles * channels + kOdd;
  }
  float* of(int64_t point, int64_t tile) const { return data + point * step + tile * channels; }
};

// Memory for a group of tiles.
struct TileMemory {
  TileMemory(std::byte* memory, int64_t tiles, const Convolution& conv)
      : in{reinterpret_cast<float*>(memory), conv.group_in, Points::step_of(tiles, conv.group_in)},
        out{in.data + kTilePoints * in.step, conv.group_out, Points::step_of(tiles, conv.group_out)},
        are_direct(reinterpret_cast<uint8_t*>(out.data + kTilePoints * out.step)) {}
  static int64_t floats_of(int64_t tiles, const Convolution& conv) {
    return kTilePoints * (Points::step_of(tiles, conv.group_in) + Points::step_of(tiles, conv.group_out)) +
           tiles;
  }

  Points in, out;
  uint8_t* are_direct;  // per tile: computed by direct convolution
};

class Winograd {
 public:
  Winograd(const KernelArgs& args, const Convolution& conv)
      : args_(args),
        conv_(conv),
        across_(divide_up(conv.spatial.out[1], kTileOut)),
        down_(divide_up(conv.spatial.out[0], kTileOut)),
        has_bias_(args.node.input_count() > 2) {}

  int64_t tiles() const { return conv_.batch * down_ * across_; }
  PrepackedBytes weights() const;
  Status run() const;

 private:
  F32Block block() const { return f32_block(vector_bytes()); }
  int64_t panels() const { return divide_up(conv_.group_out, block().columns); }
  int64_t point_floats() const { return round_up(conv_.group_out, block().lanes) * conv_.group_in; }
  // Returns the limit of the panel's weights.
  float pack_panel(int64_t panel, float* to) const;
  int64_t floats_of(int64_t tiles) const { return TileMemory::floats_of(tiles, conv_); }
  // The largest input magnitude Winograd may be used for (stored behind the weights); 0: never.
  float limit(const float* weights) const { return weights[floats() - 1]; }
  int64_t floats() const { return kTilePoints * point_floats() + 2 * conv_.group_out + block().lanes + 1; }
  TileOutput output_of(int64_t tile) const;

  void run_alone(const float* weights) const;
  void run_in_batches(const float* weights) const;
  // Tiles [begin, end); `first` is the tile at the start of the memory.
  void read(int64_t first, int64_t begin, int64_t end, float limit, const TileMemory& tiles) const;
  void multiply(const Points& in, int64_t tiles, int64_t point, const float* weights,
                const Points& out) const;
  void write(int64_t first, int64_t begin, int64_t end, const TileMemory& tiles, const float* bias) const;
  void sum_directly(int64_t tile, const TileOutput& output, float* points, int64_t step) const;

  const KernelArgs& args_;
  const Convolution& conv_;
  int64_t across_, down_;
  bool has_bias_;
};

float Winograd::pack_panel(int64_t panel, float* to) const {
  const F32Block size = block();
  const int64_t in = conv_.group_in, first = panel * size.columns;
  const int64_t count = std::min<int64_t>(size.columns, conv_.group_out - first);
  const int64_t lanes = count > size.lanes ? size.columns : size.lanes;
  const Filters filters = float_filters(args_);
  const float* const weights = filters.data + first * kKernelTaps * in;
  transform_kernels(vector_bytes(), {weights, count, in, filters.taps_last}, lanes, to + first * in,
                    point_floats());
  return winograd_limit({weights, size_t(count * kKernelTaps * in)}, count, kKernelTaps, filters.taps_last);
}

// [points][panels][input channels][lanes], then the bias padded to full vectors, zeros (the bias of partial
// sums), and the limit.
PrepackedBytes Winograd::weights() const {
  const int64_t points = kTilePoints * point_floats(), out = conv_.group_out;
  return args_.prepacked_from(1, size_t(floats()) * sizeof(float), [&](std::byte* memory) {
    auto* const to = reinterpret_cast<float*>(memory);
    std::vector<float> limits(size_t(panels()), 0);
    args_.pool.parallel_for(panels(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) limits[size_t(panel)] = pack_panel(panel, to);
    });
    std::fill(to + points, to + floats() - 1, 0.0f);
    if (has_bias_) std::copy_n(args_.input<float>(2), out, to + points);
    to[floats() - 1] = *std::ranges::min_element(limits);
  });
}

TileOutput Winograd::output_of(int64_t tile) const {
  const SpatialParams& spatial = conv_.spatial;
  const int64_t line = spatial.out[1] * conv_.out_channels;
  const int64_t n = tile / across_ / down_;
  const int64_t y = tile / across_ % down_ * kTileOut, x = tile % across_ * kTileOut;
  return {int(std::min<int64_t>(kTileOut, spatial.out[0] - y)),
          int(std::min<int64_t>(kTileOut, spatial.out[1] - x)),
          args_.output<float>() + (n * spatial.out[0] + y) * line + x * conv_.out_channels, line};
}

void Winograd::read(int64_t first, int64_t begin, int64_t end, float limit, const TileMemory& tiles) const {
  const SpatialParams& spatial = conv_.spatial;
  for (int64_t tile = begin; tile < end; ++tile) {
    const int64_t n = tile / across_ / down_;
    const int64_t top = tile / across_ % down_ * kTileOut - spatial.before[0];
    const int64_t left = tile % across_ * kTileOut - spatial.before[1];
    TileInput input{};
    for (int64_t y = 0; y < kTileIn; ++y) {
      for (int64_t x = 0; x < kTileIn; ++x) {
        if (top + y < 0 || top + y >= spatial.in[0] || left + x < 0 || left + x >= spatial.in[1]) continue;
        input.pixels[y * kTileIn + x] =
            args_.input<float>(0) +
            ((n * spatial.in[0] + top + y) * spatial.in[1] + left + x) * conv_.group_in;
      }
    }
    const float largest =
        transform_input(vector_bytes(), input, conv_.group_in, std::min(limit, kWinogradRange),
                        tiles.in.of(0, tile - first), tiles.in.step);
    bool is_direct = !(largest <= limit);
    if (!is_direct && largest > kWinogradRange) {
      const TileOutput output = output_of(tile);
      is_direct = is_uneven(input, largest, conv_.group_in, output.rows, output.columns);
    }
    tiles.are_direct[tile - first] = is_direct;
  }
}

void Winograd::multiply(const Points& in, int64_t tiles, int64_t point, const float* weights,
                        const Points& out) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float* const zeros = weights + kTilePoints * point_floats() + conv_.group_out;
  const F32Epilogue plain{zeros, -kInfinity, kInfinity};
  const int64_t block_rows = divide_up(tiles, divide_up(tiles, block().rows));
  const F32Rows rows{nullptr, in.of(point, 0), conv_.group_in, 1, conv_.group_in, tiles, block_rows};
  multiply_f32(vector_bytes(), rows, weights + point * point_floats(), conv_.group_out, plain,
               out.of(point, 0), conv_.group_out);
}

void Winograd::sum_directly(int64_t tile, const TileOutput& output, float* points, int64_t step) const {
  const DirectSums sums{conv_, args_.input<float>(0), filters_in_tap_order(args_)};
  const int64_t n = tile / across_ / down_;
  const int64_t top = tile / across_ % down_ * kTileOut, left = tile % across_ * kTileOut;
  for (int64_t y = 0; y < output.rows; ++y)
    for (int64_t x = 0; x < output.columns; ++x)
      sums(n, top + y, left + x, points + (y * kTileOut + x) * step);
}

void Winograd::write(int64_t first, int64_t begin, int64_t end, const TileMemory& tiles,
                     const float* bias) const {
  const int64_t channels = conv_.out_channels;
  const F32OutputEpilogue epilogue(args_);
  for (int64_t tile = begin; tile < end; ++tile) {
    TileOutput output = output_of(tile);
    float* const points = tiles.out.of(0, tile - first);
    output.has_results = tiles.are_direct[tile - first] != 0;
    if (output.has_results) sum_directly(tile, output, points, tiles.out.step);
    const int64_t at = output.to - args_.output<float>();
    transform_output(vector_bytes(), points, tiles.out.step, channels, epilogue.epilogue(bias, at), output);
    epilogue.apply_rest(at, output.rows, output.columns * channels, output.row_step);
  }
}

// Each task runs a few tiles through all steps, in memory that stays in its caches along with the weights.
void Winograd::run_alone(const float* weights) const {
  constexpr int64_t kTaskBytes = int64_t{768} * 1024, kTasksPerThread = 4;
  const int64_t rows = block().rows;
  const int64_t max_tiles = kTaskBytes / int64_t(sizeof(float)) / floats_of(1) / rows * rows;
  const int64_t even = round_up(divide_up(tiles(), args_.pool.threads() * kTasksPerThread), rows);
  const int64_t size = std::max(rows, std::min(max_tiles, even));
  args_.scratch->reserve(args_.pool.threads(), size_t(floats_of(size)) * sizeof(float));
  args_.pool.parallel_for(divide_up(tiles(), size), 1, [&](int64_t begin, int64_t end, unsigned worker) {
    std::byte* const memory = args_.scratch->of_worker(worker, size_t(floats_of(size)) * sizeof(float));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task * size, count = std::min(size, tiles() - first);
      const TileMemory some(memory, count, conv_);
      read(first, first, first + count, limit(weights), some);
      for (int64_t point = 0; point < kTilePoints; ++point)
        multiply(some.in, count, point, weights, some.out);
      write(first, first, first + count, some, weights + kTilePoints * point_floats());
    }
  });
}

// All threads run the same tiles through each step; each thread reads only the weights of its points.
void Winograd::run_in_batches(const float* weights) const {
  constexpr int64_t kBytes = int64_t{8} * 1024 * 1024;
  const int64_t max_tiles = std::max<int64_t>(block().rows, kBytes / int64_t(sizeof(float)) / floats_of(1));
  const int64_t size = divide_up(tiles(), divide_up(tiles(), max_tiles));
  std::byte* const memory = args_.scratch->of_all(size_t(floats_of(size)) * sizeof(float));
  for (int64_t first = 0; first < tiles(); first += size) {
    const int64_t count = std::min(size, tiles() - first);
    const TileMemory some(memory, count, conv_);
    args_.pool.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      read(first, first + begin, first + end, limit(weights), some);
    });
    args_.pool.parallel_for(kTilePoints, 1, [&](int64_t begin, int64_t end) {
      for (int64_t point = begin; point < end; ++point) multiply(some.in, count, point, weights, some.out);
    });
    args_.pool.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      write(first, first + begin, first + end, some, weights + kTilePoints * point_floats());
    });
  }
}

Status Winograd::run() const {
  constexpr int64_t kNearFloats = int64_t{256} * 1024;  // weights that fit in a core's cache
  const PrepackedBytes prepacked = weights();
  if (limit(prepacked.as<float>()) == 0) {
    KernelArgs own = args_;
    own.prepacked = nullptr;  // the cache holds another form
    return convolve_f32(own, conv_);
  }
  if (kTilePoints * point_floats() <= kNearFloats) {
    run_alone(prepacked.as<float>());
  } else {
    run_in_batches(prepacked.as<float>());
  }
  return {};
}

}  // namespace

WhyNot why_not_winograd(const KernelArgs& args, const Convolution& conv) {
  constexpr std::array<int64_t, 2> kOnes{1, 1}, kThrees{3, 3};
  constexpr int64_t kMinChannels = 16;  // one vector
  constexpr int64_t kMinTiles = 12;     // below this, reading four times as many weights takes too long
  const SpatialParams& spatial = conv.spatial;
  if (args.node.dtype() != DType::f32) return "It supports only FLOAT32.";
  if (conv.transposed) return "It does not support transposed convolutions.";
  if (spatial.kernel != kThrees || spatial.stride != kOnes || spatial.dilation != kOnes)
    return {"The kernel is {} x {}; it supports 3 x 3 without stride and dilation.", spatial.kernel[0],
            spatial.kernel[1]};
  if (conv.groups != 1) return {"There are {} groups; it supports one.", conv.groups};
  if (!args.are_constant(1)) return "Weights or bias are not constant.";
  if (!args.shapes_stay) return "Shapes are known only at run time.";
  // transform_input() shifts the last vector back to end at the last channel.
  const int64_t lanes = vector_bytes() / int64_t(sizeof(float));
  if (conv.group_in < lanes)
    return {"There are {} input channels; it needs at least a vector of {}.", conv.group_in, lanes};
  if (std::min(conv.group_in, conv.group_out) < kMinChannels)
    return WhyNot::slower("It is slower with {} and {} channels; it pays off from {}.", conv.group_in,
                          conv.group_out, kMinChannels);
  const int64_t tiles = Winograd(args, conv).tiles();
  if (tiles < kMinTiles)
    return WhyNot::slower("It is slower with {} tiles; it pays off from {}.", tiles, kMinTiles);
  return {};
}

Status prepack_winograd(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(Winograd(args, conv).weights());
  return {};
}

Status convolve_winograd(const KernelArgs& args, const Convolution& conv) {
  return Winograd(args, conv).run();
}

}  // namespace nnrt::cpu
