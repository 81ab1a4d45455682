#include "backends/cpu/kernels/pooling_lines.h"

#include "backends/cpu/conv/kernel_taps.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace nnrt::cpu {
namespace {

constexpr int64_t kGrain = 1 << 14;  // elements read per task

template <bool Mean>
constexpr float kNothing = Mean ? 0.0f : -std::numeric_limits<float>::infinity();

template <bool Mean, typename V>
NNRT_INLINE void join(V& total, const V& x) {
  if constexpr (Mean) {
    total += x;
  } else {
    total = total < x ? x : total;
  }
}

// Calls f(std::integral_constant<int, bytes>, i) until [0, count) is covered. The last vector may overlap the
// previous one; vectors are single floats if there are fewer floats than lanes.
template <int Bytes, typename F>
NNRT_INLINE void for_vectors(int64_t count, const F& f) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) f(std::integral_constant<int, Bytes>{}, i);
  if (i < count && count >= kLanes) {
    f(std::integral_constant<int, Bytes>{}, count - kLanes);
    i = count;
  }
  for (; i < count; ++i) f(std::integral_constant<int, int(sizeof(float))>{}, i);
}

// Images of [pixels][channels].
template <int Bytes, bool Mean>
NNRT_INLINE void pool_one_channel(const float* image, int64_t pixels, float* total) {
  using V = Vector<Bytes>;
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float)), kVectors = 4;
  constexpr int64_t kBlock =
      64 * kVectors * kLanes;  // summed first, which keeps sums of large planes precise
  float result = kNothing<Mean>;
  for (int64_t begin = 0; begin < pixels; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, pixels);
    V sums[kVectors];
    for (V& sum : sums) sum = V{} + kNothing<Mean>;
    int64_t i = begin;
    for (; i + kVectors * kLanes <= end; i += kVectors * kLanes)
      for (int64_t k = 0; k < kVectors; ++k) join<Mean>(sums[k], V(load<Bytes>(image + i + k * kLanes)));
    for (; i + kLanes <= end; i += kLanes) join<Mean>(sums[0], V(load<Bytes>(image + i)));
    join<Mean>(sums[0], sums[1]);
    join<Mean>(sums[2], sums[3]);
    join<Mean>(sums[0], sums[2]);
    const auto joins = [](auto& a, const auto& b) __attribute__((always_inline)) { join<Mean>(a, b); };
    join<Mean>(result, joined_lanes(sums[0], joins));
    for (; i < end; ++i) join<Mean>(result, image[i]);
  }
  *total = result;
}

template <int Bytes, bool Mean>
NNRT_INLINE void pool_channels(const float* image, int64_t pixels, int64_t channels, float* totals) {
  using V = Vector<Bytes>;
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  constexpr int64_t kBlock = 256;  // as in pool_one_channel()
  std::fill_n(totals, channels, kNothing<Mean>);
  // As many vectors as channels begin with each of them once.
  const int64_t unit = channels * kLanes, count = pixels * channels;
  int64_t i = 0;
  while (i + unit <= count) {
    float sums[kLanes * kLanes];
    std::fill_n(sums, unit, kNothing<Mean>);
    const int64_t end = std::min(count, i + kBlock * unit);
    for (; i + unit <= end; i += unit)
      for (int64_t k = 0; k < unit; k += kLanes) {
        V sum = load<Bytes>(sums + k);
        join<Mean>(sum, V(load<Bytes>(image + i + k)));
        store<Bytes>(sums + k, sum);
      }
    for (int64_t k = 0; k < unit; k += channels)
      for (int64_t c = 0; c < channels; ++c) join<Mean>(totals[c], sums[k + c]);
  }
  for (; i < count; i += channels)
    for (int64_t c = 0; c < channels; ++c) join<Mean>(totals[c], image[i + c]);
}

bool is_global(const SpatialParams& spatial) {
  return spatial.kernel == spatial.in && spatial.out == std::array<int64_t, 2>{1, 1} &&
         spatial.before == std::array<int64_t, 2>{};
}

template <bool Mean>
void pool_images(const PooledImages& images, const float* input, ThreadPool& pool, float* output) {
  const int64_t pixels = images.spatial.in[0] * images.spatial.in[1], channels = images.channels;
  const int64_t image = pixels * channels;
  pool.parallel_for(images.count, 1 + kGrain / image, [&](int64_t begin, int64_t end) {
    with_vectors(
        vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
          for (int64_t n = begin; n < end; ++n) {
            const float* const from = input + n * image;
            float* const to = output + n * channels;
            if (channels == 1) {
              pool_one_channel<bytes, Mean>(from, pixels, to);
            } else {
              pool_channels<bytes, Mean>(from, pixels, channels, to);
            }
            for (int64_t c = 0; c < channels; ++c) {
              if (Mean) to[c] /= float(pixels);
              clamp_to(to[c], images.bounds.low, images.bounds.high);
            }
          }
        });
  });
}

// Computes output rows. Each first reduces the input lines under the window to one line.
template <bool Mean>
class LinePool {
 public:
  explicit LinePool(const PooledImages& images)
      : spatial_(images.spatial),
        bounds_(images.bounds),
        channels_(images.channels),
        columns_(spatial_.kernel[1]),
        stride_(spatial_.out[1] == 1 ? 1 : spatial_.stride[1]),
        width_((spatial_.out[1] - 1) * stride_ + columns_),
        split_step_(divide_up(width_, stride_) * channels_),
        counted_(Mean ? spatial_.out[1] * channels_ : 0) {}

  size_t scratch_bytes() const {
    const int64_t split = stride_ == 1 ? 0 : stride_ * split_step_;
    return size_t(width_ * channels_ + counted_ + split) * sizeof(float);
  }

  // Must be called before row().
  void use(std::byte* scratch) {
    line_ = reinterpret_cast<float*>(scratch);
    counts_ = line_ + width_ * channels_;
    split_ = counts_ + counted_;
    for (int64_t i = 0; i < counted_; ++i)
      counts_[i] = float(taps_inside(spatial_, 1, i / channels_).count());
  }

  // Row `y` of an image.
  template <int Bytes>
  NNRT_INLINE void row(const float* image, int64_t y, float* to) const {
    const TapRange rows = taps_inside(spatial_, 0, y);
    join_lines<Bytes>(image + (tap_origin(spatial_, 0, y) + rows.begin) * spatial_.in[1] * channels_,
                      rows.count());
    if (stride_ > 1) split_line<Bytes>();
    join_columns<Bytes>(float(rows.count()), to);
  }

 private:
  template <int Bytes>
  NNRT_INLINE void join_lines(const float* lines, int64_t count) const {
    const int64_t before = std::min(spatial_.before[1], width_), step = spatial_.in[1] * channels_;
    const int64_t inside = std::min(spatial_.in[1], width_ - before);
    std::fill_n(line_, before * channels_, kNothing<Mean>);
    std::fill(line_ + (before + inside) * channels_, line_ + width_ * channels_, kNothing<Mean>);
    float* const to = line_ + before * channels_;
    for_vectors<Bytes>(
        inside * channels_, [=](auto bytes, int64_t i) __attribute__((always_inline)) {
          using V = Vector<bytes>;
          V total = V{} + kNothing<Mean>;
          const float* from = lines + i;
          for (int64_t r = 0; r < count; ++r, from += step) join<Mean>(total, V(load<bytes>(from)));
          store<bytes>(to + i, total);
        });
  }

  // Makes pixels q, q + stride, ... contiguous for each q.
  template <int Bytes>
  NNRT_INLINE void split_line() const {
    if (channels_ == 1 && stride_ == 2)
      return split_pairs<Bytes>(line_, width_, split_, split_ + split_step_,
                                std::make_index_sequence<size_t(Bytes) / sizeof(float)>());
    const int64_t channels = channels_;
    for (int64_t q = 0; q < std::min(stride_, columns_); ++q) {
      float* to = split_ + q * split_step_;
      for (int64_t x = q; x < width_; x += stride_, to += channels)
        for (int64_t c = 0; c < channels; ++c) to[c] = line_[x * channels + c];
    }
  }

  template <int Bytes, size_t... i>
  NNRT_INLINE static void split_pairs(const float* line, int64_t width, float* even, float* odd,
                                      std::index_sequence<i...>) {
    constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
    int64_t x = 0;
    for (; x + 2 * kLanes <= width; x += 2 * kLanes) {
      const Vector<Bytes> a = load<Bytes>(line + x), b = load<Bytes>(line + x + kLanes);
      store<Bytes>(even + x / 2, __builtin_shufflevector(a, b, (2 * i)...));
      store<Bytes>(odd + x / 2, __builtin_shufflevector(a, b, (2 * i + 1)...));
    }
    for (; x < width; ++x) (x % 2 == 0 ? even : odd)[x / 2] = line[x];
  }

  template <int Bytes>
  NNRT_INLINE void join_columns(float rows, float* to) const {
    const float *const line = stride_ == 1 ? line_ : split_, *const counts = counts_;
    const int64_t stride = stride_, columns = columns_, step = split_step_, channels = channels_;
    const FloatBounds bounds = bounds_;
    for_vectors<Bytes>(
        spatial_.out[1] * channels, [=](auto bytes, int64_t i) __attribute__((always_inline)) {
          using V = Vector<bytes>;
          V total = V{} + kNothing<Mean>;
          for (int64_t q = 0; q < stride && q < columns; ++q) {
            const float* from = line + q * step + i;
            for (int64_t v = q; v < columns; v += stride, from += channels)
              join<Mean>(total, V(load<bytes>(from)));
          }
          if constexpr (Mean) total /= load<bytes>(counts + i) * rows;
          clamp_to(total, bounds.low, bounds.high);
          store<bytes>(to + i, total);
        });
  }

  const SpatialParams& spatial_;
  FloatBounds bounds_;
  int64_t channels_, columns_, stride_;
  int64_t width_;       // pixels of a padded line that windows read
  int64_t split_step_;  // floats between split lines
  int64_t counted_;     // elements of an output row if the mean needs counts
  float* line_ = nullptr;
  float* counts_ = nullptr;  // columns under the window of each output element
  float* split_ = nullptr;   // the line, split by stride
};

template <bool Mean>
void pool_windows(const PooledImages& images, const float* input, ThreadPool& pool, Scratch& scratch,
                  float* output) {
  const SpatialParams& spatial = images.spatial;
  const int64_t line = spatial.in[1] * images.channels, row = spatial.out[1] * images.channels;
  const int64_t rows = images.count * spatial.out[0];
  const size_t bytes = LinePool<Mean>(images).scratch_bytes();
  const int64_t read = line * std::min(spatial.kernel[0], spatial.in[0]);
  scratch.reserve(pool.threads(), bytes);
  pool.parallel_for(rows, 1 + kGrain / read, [&](int64_t begin, int64_t end, unsigned worker) {
    LinePool<Mean> lines(images);
    lines.use(scratch.of_worker(worker, bytes));
    with_vectors(
        vector_bytes(), [&](auto vector) __attribute__((always_inline)) {
          for (int64_t i = begin; i < end; ++i)
            lines.template row<vector>(input + i / spatial.out[0] * spatial.in[0] * line, i % spatial.out[0],
                                       output + i * row);
        });
  });
}

template <bool Mean>
void pool_with(const PooledImages& images, const float* input, ThreadPool& pool, Scratch& scratch,
               float* output) {
  if (is_global(images.spatial)) return pool_images<Mean>(images, input, pool, output);
  pool_windows<Mean>(images, input, pool, scratch, output);
}

}  // namespace

bool suits_lines(const SpatialParams& spatial, int64_t channels) {
  // Longer windows would need long padded lines.
  return channels < vector_bytes() / int64_t(sizeof(float)) && spatial.kernel[1] <= 2 * spatial.in[1];
}

void pool_lines(const PooledImages& images, const float* input, ThreadPool& pool, Scratch& scratch,
                float* output) {
  if (images.is_mean) return pool_with<true>(images, input, pool, scratch, output);
  pool_with<false>(images, input, pool, scratch, output);
}

}  // namespace nnrt::cpu
