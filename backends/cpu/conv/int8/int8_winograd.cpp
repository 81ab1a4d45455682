// 3 x 3 convolutions of INT8 values by Winograd's algorithm, with the sums of the direct one.
#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/conv/conv_kernels.h"
#include "backends/cpu/conv/int8/int8_winograd_kernels.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/simd/x86_features.h"

#include <cstring>

namespace nnrt::cpu {
namespace {

class Int8Winograd {
 public:
  Int8Winograd(const KernelArgs& args, const Convolution& conv)
      : args_(args),
        conv_(conv),
        across_(divide_up(conv.spatial.out[1], kInt8TileOut)),
        down_(divide_up(conv.spatial.out[0], kInt8TileOut)),
        pairs_(divide_up(conv.group_in, 2)),
        panels_(divide_up(conv.group_out, kInt8PanelColumns)) {}

  int64_t tiles() const { return conv_.batch * down_ * across_; }
  PrepackedBytes weights() const;
  bool is_exact(const PrepackedBytes& weights) const {
    return weights.data != nullptr && weights.data[bytes() - 1] != std::byte{0};
  }
  void run(const PrepackedBytes& weights) const;

 private:
  static constexpr int64_t kOddWords = 32, kOddSums = 16;  // keep points off the same cache sets

  int64_t panel_words() const { return pairs_ * 2 * kInt8PanelColumns; }  // of a point
  int64_t weight_bytes() const {
    return panels_ * kInt8TilePoints * panel_words() * int64_t(sizeof(int16_t));
  }
  // The panels, the terms, and whether sums are small enough to be exact.
  int64_t bytes() const { return weight_bytes() + int8_term_bytes(conv_.group_out) + 1; }
  // Returns the largest sum of magnitudes of a channel's weights.
  int64_t pack_panel(int64_t panel, int16_t* to, int32_t* sums) const;

  int64_t group_tiles() const;
  void read_tile(int64_t tile, const int8_t* outside, int16_t* to, int64_t step) const;
  void write_tile(int64_t tile, const Int8Epilogue& terms, int64_t column, const int32_t* points,
                  int64_t step) const;

  const KernelArgs& args_;
  const Convolution& conv_;
  int64_t across_, down_, pairs_, panels_;
};

int64_t Int8Winograd::pack_panel(int64_t panel, int16_t* to, int32_t* sums) const {
  const int64_t in = conv_.group_in, first = panel * kInt8PanelColumns;
  int64_t largest = 0;
  for (int64_t lane = 0; lane < std::min<int64_t>(kInt8PanelColumns, conv_.group_out - first); ++lane) {
    const int8_t* const filter = args_.input<int8_t>(1) + (first + lane) * kInt8TileTaps * in;
    int64_t magnitudes = 0;
    int32_t sum = 0;
    for (int64_t channel = 0; channel < in; ++channel) {
      int8_t taps[kInt8TileTaps];
      int16_t points[kInt8TilePoints];
      for (int tap = 0; tap < kInt8TileTaps; ++tap) {
        taps[tap] = filter[tap * in + channel];
        magnitudes += std::abs(taps[tap]);
        sum += taps[tap];
      }
      transform_int8_kernel(taps, points);
      int16_t* const at = to + channel / 2 * 2 * kInt8PanelColumns + lane * 2 + channel % 2;
      for (int point = 0; point < kInt8TilePoints; ++point) at[point * panel_words()] = points[point];
    }
    sums[first + lane] = sum;
    largest = std::max(largest, magnitudes);
  }
  return largest;
}

PrepackedBytes Int8Winograd::weights() const {
  return args_.prepacked_from(1, size_t(bytes()), [&](std::byte* to) {
    std::memset(to, 0, size_t(weight_bytes()));
    std::vector<int32_t> sums(size_t(conv_.group_out));
    std::vector<int64_t> largest(size_t(panels_), 0);
    args_.pool.parallel_for(panels_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel)
        largest[size_t(panel)] = pack_panel(
            panel, reinterpret_cast<int16_t*>(to) + panel * kInt8TilePoints * panel_words(), sums.data());
    });
    make_int8_terms(args_, args_.node.input_count() > 2, sums, 0, to + weight_bytes());
    constexpr int64_t kLargestCode = 128;
    to[bytes() - 1] = std::byte{*std::ranges::max_element(largest) * kLargestCode <= kMaxWinogradSum};
  });
}

// A group's transformed activations, and the sums of a panel, stay in a core's cache.
int64_t Int8Winograd::group_tiles() const {
  constexpr int64_t kMostTiles = 28, kFewestTiles = 8, kCacheBytes = int64_t{512} * 1024;
  const int64_t tile_bytes = kInt8TilePoints * (pairs_ * 2 * int64_t(sizeof(int16_t)) +
                                                kInt8PanelColumns * int64_t(sizeof(int32_t)));
  const int64_t most = std::clamp(kCacheBytes / tile_bytes, kFewestTiles, kMostTiles);
  int64_t groups = divide_up(tiles(), most);
  const int64_t threads = args_.pool.threads();
  if (const int64_t even = round_up(groups, threads); even * kFewestTiles <= tiles()) groups = even;
  return divide_up(tiles(), groups);
}

void Int8Winograd::read_tile(int64_t tile, const int8_t* outside, int16_t* to, int64_t step) const {
  const SpatialParams& spatial = conv_.spatial;
  const int64_t n = tile / across_ / down_;
  const int64_t top = tile / across_ % down_ * kInt8TileOut - spatial.before[0];
  const int64_t left = tile % across_ * kInt8TileOut - spatial.before[1];
  const int8_t* const image = args_.input<int8_t>(0) + n * spatial.in[0] * spatial.in[1] * conv_.in_channels;
  const int8_t* pixels[kInt8TilePoints];
  for (int64_t y = 0; y < kInt8TileIn; ++y) {
    for (int64_t x = 0; x < kInt8TileIn; ++x) {
      const bool is_inside =
          top + y >= 0 && top + y < spatial.in[0] && left + x >= 0 && left + x < spatial.in[1];
      pixels[y * kInt8TileIn + x] =
          is_inside ? image + ((top + y) * spatial.in[1] + left + x) * conv_.in_channels : outside;
    }
  }
  transform_int8_tile(pixels, conv_.group_in, to, step);
}

void Int8Winograd::write_tile(int64_t tile, const Int8Epilogue& terms, int64_t column, const int32_t* points,
                              int64_t step) const {
  const SpatialParams& spatial = conv_.spatial;
  const int64_t channels = conv_.out_channels, line = spatial.out[1] * channels;
  const int64_t n = tile / across_ / down_;
  const int64_t y = tile / across_ % down_ * kInt8TileOut, x = tile % across_ * kInt8TileOut;
  finish_int8_tile(
      {points, step, int(std::min<int64_t>(kInt8TileOut, spatial.out[0] - y)),
       int(std::min<int64_t>(kInt8TileOut, spatial.out[1] - x)),
       args_.output<int8_t>() + (n * spatial.out[0] + y) * line + x * channels + column, line, channels},
      terms, column, int(std::min<int64_t>(kInt8PanelColumns, channels - column)));
}

void Int8Winograd::run(const PrepackedBytes& weights) const {
  const Int8Epilogue terms = int8_epilogue(args_, weights.data, weight_bytes(), conv_.group_out);
  const auto zero = int8_t(zero_point_of(args_.node.input(0)));
  const int64_t size = group_tiles(), groups = divide_up(tiles(), size);
  const int64_t row = pairs_ * 2, word_step = size * row + kOddWords;
  const int64_t sum_step = size * kInt8PanelColumns + kOddSums;
  const int64_t word_bytes = kInt8TilePoints * word_step * int64_t(sizeof(int16_t));
  const int64_t sum_bytes = kInt8TilePoints * sum_step * int64_t(sizeof(int32_t));
  const size_t scratch_bytes = size_t(word_bytes + sum_bytes + conv_.group_in);
  args_.scratch->reserve(args_.pool.threads(), scratch_bytes);
  // Few groups are shared by panels, and transformed by each thread.
  const int64_t chunk = groups >= int64_t(args_.pool.threads()) ? panels_ : 1, chunks = panels_ / chunk;
  args_.pool.parallel_for(groups * chunks, 1, [&](int64_t begin, int64_t end, unsigned worker) {
    std::byte* const scratch = args_.scratch->of_worker(worker, scratch_bytes);
    auto* const words = reinterpret_cast<int16_t*>(scratch);
    auto* const sums = reinterpret_cast<int32_t*>(scratch + word_bytes);
    auto* const outside = reinterpret_cast<int8_t*>(scratch + word_bytes + sum_bytes);
    std::memset(outside, zero, size_t(conv_.group_in));
    int64_t known = -1;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t group = task / chunks, first = group * size, count = std::min(size, tiles() - first);
      for (int64_t tile = 0; tile < count && group != known; ++tile)
        read_tile(first + tile, outside, words + tile * row, word_step);
      known = group;
      for (int64_t panel = task % chunks * chunk, last = panel + chunk; panel < last; ++panel) {
        const int16_t* packed = weights.as<int16_t>() + panel * kInt8TilePoints * panel_words();
        for (int64_t point = 0; point < kInt8TilePoints; ++point, packed += panel_words()) {
          const bool is_last = point + 1 == kInt8TilePoints && panel + 1 == panels_;
          multiply_words({words + point * word_step, count, pairs_, packed,
                          is_last ? nullptr : packed + panel_words(), sums + point * sum_step});
        }
        for (int64_t tile = 0; tile < count; ++tile)
          write_tile(first + tile, terms, panel * kInt8PanelColumns, sums + tile * kInt8PanelColumns,
                     sum_step);
      }
    }
  });
}

}  // namespace

WhyNot why_not_int8_winograd(const KernelArgs& args, const Convolution& conv) {
  constexpr std::array<int64_t, 2> kOnes{1, 1}, kThrees{3, 3};
  const SpatialParams& spatial = conv.spatial;
  if (const WhyNot why = why_not_int8_dot(args.node)) return why;
#if !defined(__x86_64__)
  return "It needs AVX-512.";
#endif
  if (conv.transposed) return "It does not support transposed convolutions.";
  if (args.node.output(0).dtype == DType::i32) return "It does not store INT32 sums.";
  if (spatial.kernel != kThrees || spatial.stride != kOnes || spatial.dilation != kOnes)
    return {"The kernel is {} x {}; it supports 3 x 3 without stride and dilation.", spatial.kernel[0],
            spatial.kernel[1]};
  if (conv.groups != 1) return {"There are {} groups; it supports one.", conv.groups};
  if (!has_symmetric_weights(args.node)) return "Zero points of the weights are not 0.";
  if (!args.are_constant(1)) return "Weights or bias are not constant.";
  if (!args.shapes_stay) return "Shapes are known only at run time.";
  if (!why_not_convolve_amx(args, conv)) return WhyNot::slower("It is slower than AMX.");
  // Transformed weights take eight times the memory; more of them would be read from memory in each run.
  constexpr int64_t kMaxWeights = int64_t{1} << 20;
  if (const int64_t weights = kInt8TileTaps * conv.group_in * conv.group_out; weights > kMaxWeights)
    return WhyNot::slower("It is slower with {} weights; it pays off up to {}.", weights, kMaxWeights);
  // Vector instructions of both ways; transforming a channel takes 9 of them per tile and vector of it.
  const int64_t in = conv.group_in, out = conv.group_out, tiles = Int8Winograd(args, conv).tiles();
  const int64_t direct = conv.pixels() * kInt8TileTaps * in * divide_up(out, kInt32Lanes) / kDotDepth;
  const int64_t panels = divide_up(out, kInt8PanelColumns);
  const int64_t arithmetic = tiles * (kInt8TilePoints * in * panels + 9 * in + 450 * panels);
  // With few tiles, reading the weights takes longer unless they stay in L2.
  constexpr int64_t kWeightsInL2 = int64_t{1} << 17;
  const int64_t reads_of_weight = has_two_dot_ports() ? 30 : 15;
  const int64_t reads = in * out * kInt8TileTaps > kWeightsInL2 ? reads_of_weight * in * out : 0;
  const int64_t by_tiles = std::max(arithmetic, reads);
  if (by_tiles > direct * 9 / 10)
    return WhyNot::slower("It is slower for {} tiles of {} channels.", tiles, in);
  return {};
}

Status prepack_int8_winograd(const KernelArgs& args, const Convolution& conv) {
  static_cast<void>(Int8Winograd(args, conv).weights());
  return {};
}

bool runs_int8_winograd_directly(const KernelArgs& args, const Convolution& conv) {
  const Int8Winograd winograd(args, conv);
  return !winograd.is_exact(winograd.weights());
}

Status convolve_int8_winograd(const KernelArgs& args, const Convolution& conv) {
  const Int8Winograd winograd(args, conv);
  const PrepackedBytes weights = winograd.weights();
  if (winograd.is_exact(weights)) {
    winograd.run(weights);
    return {};
  }
  KernelArgs own = args;
  own.prepacked = nullptr;  // the cache holds another form
  return convolve_int8(own, conv, Int8Kernel::dot);
}

}  // namespace nnrt::cpu
