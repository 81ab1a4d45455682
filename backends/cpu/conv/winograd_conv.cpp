#include "backends/cpu/conv/winograd_conv.h"

#include "backends/cpu/conv/winograd_transforms.h"
#include "backends/cpu/gemm/f32_gemm.h"

#include <array>

namespace nnrt::cpu {
namespace {

// The points of some tiles, point after point: [tiles][channels] each.
struct Points {
  float* data;
  int64_t channels, step;

  static int64_t step_of(int64_t tiles, int64_t channels) {
    constexpr int64_t kOdd = 16;  // floats: points do not all fall on the same lines of the cache
    return tiles * channels + kOdd;
  }
  float* of(int64_t point, int64_t tile) const { return data + point * step + tile * channels; }
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
  void run() const;

 private:
  F32Block block() const { return f32_block(vector_bytes()); }
  int64_t panels() const { return divide_up(conv_.group_out, block().columns); }
  int64_t point_floats() const {
    return divide_up(conv_.group_out, block().lanes) * block().lanes * conv_.group_in;
  }
  void pack_panel(int64_t panel, float* to) const;
  int64_t floats_of(int64_t tiles) const {
    return kTilePoints * (Points::step_of(tiles, conv_.group_in) + Points::step_of(tiles, conv_.group_out));
  }

  void run_alone(const float* weights) const;
  void run_in_batches(const float* weights) const;
  // Tiles [begin, end), which count from `first` in `points`.
  void read(int64_t first, int64_t begin, int64_t end, const Points& points) const;
  void multiply(const Points& in, int64_t tiles, int64_t point, const float* weights,
                const Points& out) const;
  void write(int64_t first, int64_t begin, int64_t end, const Points& points, const float* bias) const;

  const KernelArgs& args_;
  const Convolution& conv_;
  int64_t across_, down_;
  bool has_bias_;
};

void Winograd::pack_panel(int64_t panel, float* to) const {
  const int64_t in = conv_.group_in, first = panel * block().columns;
  const int64_t count = std::min<int64_t>(block().columns, conv_.group_out - first);
  const int64_t lanes = count > block().lanes ? block().columns : block().lanes;
  const float* const weights = args_.input<float>(1) + first * 9 * in;
  for (int64_t c = 0; c < in; ++c) {
    for (int64_t column = 0; column < lanes; ++column) {
      std::array<float, 9> taps{};
      std::array<float, kTilePoints> points{};
      for (int64_t tap = 0; tap < 9 && column < count; ++tap)
        taps[size_t(tap)] = weights[(column * 9 + tap) * in + c];
      transform_kernel(taps.data(), points.data());
      for (int64_t point = 0; point < kTilePoints; ++point)
        to[point * point_floats() + (panel * block().columns * in) + c * lanes + column] =
            points[size_t(point)];
    }
  }
}

// [points][panels][input channels][lanes], the bias, and zeros, up to whole vectors, for sums that have none
// yet.
PrepackedBytes Winograd::weights() const {
  const int64_t floats = kTilePoints * point_floats(), out = conv_.group_out;
  const int64_t rest = 2 * out + block().lanes;
  return args_.prepacked_from(1, size_t(floats + rest) * sizeof(float), [&](std::byte* memory) {
    auto* const to = reinterpret_cast<float*>(memory);
    args_.pool.parallel_for(panels(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) pack_panel(panel, to);
    });
    std::fill_n(to + floats, rest, 0.0f);
    if (has_bias_) std::copy_n(args_.input<float>(2), out, to + floats);
  });
}

void Winograd::read(int64_t first, int64_t begin, int64_t end, const Points& points) const {
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
    transform_input(vector_bytes(), input, conv_.group_in, points.of(0, tile - first), points.step);
  }
}

void Winograd::multiply(const Points& in, int64_t tiles, int64_t point, const float* weights,
                        const Points& out) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const int64_t floats = kTilePoints * point_floats();
  const F32Epilogue plain{weights + floats + conv_.group_out, -kInfinity, kInfinity};
  const int64_t block_rows = divide_up(tiles, divide_up(tiles, block().rows));
  const F32Rows rows{nullptr, in.of(point, 0), conv_.group_in, 1, conv_.group_in, tiles, block_rows};
  multiply_f32(vector_bytes(), rows, weights + point * point_floats(), conv_.group_out, plain,
               out.of(point, 0), conv_.group_out);
}

void Winograd::write(int64_t first, int64_t begin, int64_t end, const Points& points,
                     const float* bias) const {
  const SpatialParams& spatial = conv_.spatial;
  const int64_t channels = conv_.out_channels, line = spatial.out[1] * channels;
  const F32OutputEpilogue epilogue(args_);
  for (int64_t tile = begin; tile < end; ++tile) {
    const int64_t n = tile / across_ / down_;
    const int64_t y = tile / across_ % down_ * kTileOut, x = tile % across_ * kTileOut;
    const int64_t at = (n * spatial.out[0] + y) * line + x * channels;
    const TileOutput output{int(std::min<int64_t>(kTileOut, spatial.out[0] - y)),
                            int(std::min<int64_t>(kTileOut, spatial.out[1] - x)), args_.output<float>() + at,
                            line};
    transform_output(vector_bytes(), points.of(0, tile - first), points.step, channels,
                     epilogue.epilogue(bias, at), output);
    epilogue.apply_rest(at, output.rows, output.columns * channels, line);
  }
}

// Each task takes some tiles through all steps, in memory that stays in its caches, as do the weights.
void Winograd::run_alone(const float* weights) const {
  constexpr int64_t kTaskBytes = int64_t{768} * 1024, kTasksPerThread = 4;
  const int64_t rows = block().rows;
  const int64_t max_tiles = kTaskBytes / int64_t(sizeof(float)) / floats_of(1) / rows * rows;
  const int64_t even = divide_up(divide_up(tiles(), args_.pool.threads() * kTasksPerThread), rows) * rows;
  const int64_t size = std::max(rows, std::min(max_tiles, even));
  args_.scratch->reserve(args_.pool.threads(), size_t(floats_of(size)) * sizeof(float));
  args_.pool.parallel_for(divide_up(tiles(), size), 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const memory =
        reinterpret_cast<float*>(args_.scratch->of_worker(worker, size_t(floats_of(size)) * sizeof(float)));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task * size, count = std::min(size, tiles() - first);
      const Points in{memory, conv_.group_in, Points::step_of(count, conv_.group_in)};
      const Points out{memory + kTilePoints * in.step, conv_.group_out,
                       Points::step_of(count, conv_.group_out)};
      read(first, first, first + count, in);
      for (int64_t point = 0; point < kTilePoints; ++point) multiply(in, count, point, weights, out);
      write(first, first, first + count, out, weights + kTilePoints * point_floats());
    }
  });
}

// All threads take the same tiles through each step; each reads the weights of its points alone.
void Winograd::run_in_batches(const float* weights) const {
  constexpr int64_t kBytes = int64_t{8} * 1024 * 1024;
  const int64_t max_tiles = std::max<int64_t>(block().rows, kBytes / int64_t(sizeof(float)) / floats_of(1));
  const int64_t size = divide_up(tiles(), divide_up(tiles(), max_tiles));
  auto* const memory =
      reinterpret_cast<float*>(args_.scratch->of_all(size_t(floats_of(size)) * sizeof(float)));
  for (int64_t first = 0; first < tiles(); first += size) {
    const int64_t count = std::min(size, tiles() - first);
    const Points in{memory, conv_.group_in, Points::step_of(count, conv_.group_in)};
    const Points out{memory + kTilePoints * in.step, conv_.group_out,
                     Points::step_of(count, conv_.group_out)};
    args_.pool.parallel_for(count, 1,
                            [&](int64_t begin, int64_t end) { read(first, first + begin, first + end, in); });
    args_.pool.parallel_for(kTilePoints, 1, [&](int64_t begin, int64_t end) {
      for (int64_t point = begin; point < end; ++point) multiply(in, count, point, weights, out);
    });
    args_.pool.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
      write(first, first + begin, first + end, out, weights + kTilePoints * point_floats());
    });
  }
}

void Winograd::run() const {
  constexpr int64_t kNearFloats = int64_t{256} * 1024;  // weights that stay in a core's cache
  const PrepackedBytes prepacked = weights();
  if (kTilePoints * point_floats() <= kNearFloats) return run_alone(prepacked.as<float>());
  run_in_batches(prepacked.as<float>());
}

}  // namespace

WhyNot why_not_winograd(const KernelArgs& args, const Convolution& conv) {
  constexpr std::array<int64_t, 2> kOnes{1, 1}, kThrees{3, 3};
  constexpr int64_t kMinChannels = 16;  // a vector's
  constexpr int64_t kMinTiles = 12;     // for fewer, reading four times as many weights takes too long
  const SpatialParams& spatial = conv.spatial;
  if (args.node.dtype() != DType::f32) return "It computes FLOAT32.";
  if (conv.transposed) return "It computes no transposed convolution.";
  if (spatial.kernel != kThrees || spatial.stride != kOnes || spatial.dilation != kOnes)
    return {"The kernel is {} x {}; it computes 3 x 3 without stride and dilation.", spatial.kernel[0],
            spatial.kernel[1]};
  if (conv.groups != 1) return {"There are {} groups; it computes one.", conv.groups};
  if (!args.are_constant(1)) return "Weights or bias are not constant.";
  if (!args.shapes_stay) return "Shapes are known in the run alone.";
  if (std::min(conv.group_in, conv.group_out) < kMinChannels)
    return WhyNot::slower("It is slower with {} and {} channels; it pays from {} on.", conv.group_in,
                          conv.group_out, kMinChannels);
  const int64_t tiles = Winograd(args, conv).tiles();
  if (tiles < kMinTiles)
    return WhyNot::slower("It is slower with {} tiles; it pays from {} on.", tiles, kMinTiles);
  return {};
}

Status prepack_winograd(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(Winograd(args, conv).weights());
  return {};
}

Status convolve_winograd(const KernelArgs& args, const Convolution& conv) {
  Winograd(args, conv).run();
  return {};
}

}  // namespace nnrt::cpu
