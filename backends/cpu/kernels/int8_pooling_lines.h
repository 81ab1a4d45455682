// Pooling of INT8 images line by line: the input lines under an output line are reduced to one line, then its
// neighboring cells. Both passes run over contiguous values, however few channels there are.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nnrt::cpu {

// Maxima, or sums if `Sum`.
template <bool Sum>
class Int8LinePool {
 public:
  using Value = std::conditional_t<Sum, int16_t, int8_t>;

  Int8LinePool(const SpatialParams& spatial, int64_t channels)
      : spatial_(spatial),
        channels_(channels),
        stride_(spatial.stride[1]),
        positions_((spatial.out[1] - 1) * stride_ + 1),
        cells_(positions_ - 1 + spatial.kernel[1]) {}

  // Single windows gain nothing, and sums must fit in 16 bits.
  static bool supports(const SpatialParams& spatial) {
    constexpr int64_t kMaxCells = 255;
    return spatial.out[1] > 1 && spatial.dilation[0] == 1 && spatial.dilation[1] == 1 &&
           spatial.kernel[1] <= spatial.in[1] && spatial.kernel[0] <= kMaxCells &&
           spatial.kernel[1] <= kMaxCells && spatial.kernel[0] * spatial.kernel[1] <= kMaxCells &&
           spatial.stride[1] <= spatial.kernel[1];
  }

  int64_t bytes() const { return (cells_ + positions_) * channels_ * int64_t(sizeof(Value)); }

  // Output pixels whose windows lie inside the input horizontally: [first_inside(), end_inside()).
  int64_t first_inside() const { return std::min(divide_up(spatial_.before[1], stride_), spatial_.out[1]); }
  int64_t end_inside() const {
    const int64_t last = (spatial_.in[1] - spatial_.kernel[1] + spatial_.before[1]) / stride_;
    return std::clamp(last + 1, first_inside(), spatial_.out[1]);
  }

  // Returns output line y, in `memory`, which has bytes() bytes.
  NNRT_INLINE const Value* compute(const int8_t* image, int64_t y, Value* memory) const {
    Value* const line = memory;
    Value* const results = memory + cells_ * channels_;
    reduce_lines(image, y, line);
    const int64_t values = positions_ * channels_;
    std::copy_n(line, values, results);
    for (int64_t v = 1; v < spatial_.kernel[1]; ++v) add(line + v * channels_, values, results);
    // Stores of bytes may alias members, but not these.
    const int64_t channels = channels_, step = stride_ * channels, pixels = stride_ > 1 ? spatial_.out[1] : 0;
    for (int64_t x = 1; x < pixels; ++x)
      for (int64_t c = 0; c < channels; ++c) results[x * channels + c] = results[x * step + c];
    return results;
  }

 private:
  template <typename From>
  NNRT_INLINE static void add(const From* from, int64_t count, Value* to) {
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (Sum) {
        to[i] = Value(to[i] + from[i]);
      } else {
        to[i] = std::max<Value>(to[i], from[i]);
      }
    }
  }

  NNRT_INLINE void reduce_lines(const int8_t* image, int64_t y, Value* to) const {
    constexpr Value kNothing = Sum ? 0 : std::numeric_limits<Value>::min();
    const int64_t origin = tap_origin(spatial_, 1, 0);
    const int64_t begin = std::clamp<int64_t>(-origin, 0, cells_);
    const int64_t end = std::clamp(spatial_.in[1] - origin, begin, cells_);
    const TapRange rows = taps_inside(spatial_, 0, y);
    const int64_t top = tap_origin(spatial_, 0, y) + rows.begin, values = (end - begin) * channels_;
    std::fill_n(to, begin * channels_, kNothing);
    std::fill_n(to + end * channels_, (cells_ - end) * channels_, kNothing);
    Value* const inside = to + begin * channels_;
    if (rows.count() == 0) std::fill_n(inside, values, kNothing);
    for (int64_t row = 0; row < rows.count(); ++row) {
      const int8_t* const from = image + ((top + row) * spatial_.in[1] + origin + begin) * channels_;
      if (row == 0) {
        std::copy_n(from, values, inside);
      } else {
        add(from, values, inside);
      }
    }
  }

  const SpatialParams& spatial_;
  int64_t channels_, stride_;
  int64_t positions_, cells_;  // windows at stride 1, and the cells under them
};

// Calls finish(pool, line, result, y) for each output line, on several threads.
template <bool Sum, typename Finish>
void for_pooled_lines(const KernelArgs& args, const SpatialParams& spatial, const Finish& finish) {
  using Value = typename Int8LinePool<Sum>::Value;
  constexpr int64_t kGrain = 1 << 16;  // bytes read
  const int64_t channels = args.node.shape(0)[3], image = spatial.in[0] * spatial.in[1] * channels;
  const Int8LinePool<Sum> pool(spatial, channels);
  const int64_t work = (spatial.kernel[0] + spatial.kernel[1]) * spatial.in[1] * channels;
  args.scratch->reserve(args.pool.threads(), size_t(pool.bytes()));
  args.pool.parallel_for(
      args.node.shape(0)[0] * spatial.out[0], 1 + kGrain / std::max<int64_t>(work, 1),
      [&](int64_t begin, int64_t end, unsigned worker) {
        auto* const memory = reinterpret_cast<Value*>(args.scratch->of_worker(worker, size_t(pool.bytes())));
        with_vectors(
            vector_bytes(), [&](auto) __attribute__((always_inline)) {
              for (int64_t i = begin; i < end; ++i) {
                const int64_t n = i / spatial.out[0];
                const Value* const line =
                    pool.compute(args.input<int8_t>(0) + n * image, i % spatial.out[0], memory);
                finish(pool, line, args.output<int8_t>() + i * spatial.out[1] * channels, i % spatial.out[0]);
              }
            });
      });
}

}  // namespace nnrt::cpu
