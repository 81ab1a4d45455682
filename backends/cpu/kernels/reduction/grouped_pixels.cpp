#include "backends/cpu/kernels/reduction/grouped_pixels.h"

#include "backends/cpu/simd/simd.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace nnrt::cpu {
namespace {

// A range of adjacent groups processed pixel by pixel: their sums stay in cache, and memory is read in runs.
class Slab {
 public:
  Slab(const GroupedPixels& shape, int64_t groups)
      : shape_(shape),
        width_(groups * shape.width),
        sums_(size_t(width_)),
        means_(size_t(width_)),
        factors_(size_t(width_)) {}

  void normalize(const GroupNormOperands& from) {
    with_vectors(
        vector_bytes(), [&](auto) __attribute__((always_inline)) { run(from); });
  }

 private:
  [[gnu::always_inline]] void run(const GroupNormOperands& from) {
    const int64_t pitch = shape_.groups * shape_.width;
    double *const sums = sums_.data(), *const means = means_.data(), *const factors = factors_.data();
    const float* x = from.x;
    for (int64_t pixel = 0; pixel < shape_.pixels; ++pixel, x += pitch)
      for (int64_t c = 0; c < width_; ++c) sums[c] += x[c];
    spread_means(means);
    x = from.x;
    for (int64_t pixel = 0; pixel < shape_.pixels; ++pixel, x += pitch)
      for (int64_t c = 0; c < width_; ++c) sums[c] += (x[c] - means[c]) * (x[c] - means[c]);
    spread_means(factors);
    for (int64_t c = 0; c < width_; ++c) factors[c] = 1 / std::sqrt(factors[c] + shape_.epsilon);
    x = from.x;
    float* y = from.y;
    for (int64_t pixel = 0; pixel < shape_.pixels; ++pixel, x += pitch, y += pitch)
      for (int64_t c = 0; c < width_; ++c)
        y[c] = float((x[c] - means[c]) * factors[c]) * from.scale[c] + from.shift[c];
  }

  // Writes each group's mean to its channels, and resets the sums.
  void spread_means(double* to) {
    const double count = double(shape_.pixels * shape_.width);
    for (int64_t first = 0; first < width_; first += shape_.width) {
      double sum = 0;
      for (int64_t c = first; c < first + shape_.width; ++c) sum += sums_[size_t(c)];
      std::fill_n(to + first, shape_.width, sum / count);
    }
    std::ranges::fill(sums_, 0.0);
  }

  const GroupedPixels& shape_;
  const int64_t width_;
  std::vector<double> sums_, means_, factors_;  // per channel
};

}  // namespace

void normalize_groups(const GroupedPixels& shape, int64_t batch, const GroupNormOperands& operands,
                      ThreadPool& pool) {
  constexpr int64_t kRun = 64;  // channels worth their own slab
  const int64_t channels = shape.groups * shape.width;
  const int64_t grain = divide_up(kRun, shape.width) + (1 << 12) / (shape.pixels * shape.width);
  pool.parallel_for(batch * shape.groups, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t first = begin % shape.groups;
      const int64_t count = std::min(end - begin, shape.groups - first);
      const int64_t from = first * shape.width;
      const int64_t at = begin / shape.groups * shape.pixels * channels + from;
      Slab(shape, count)
          .normalize({operands.x + at, operands.scale + from, operands.shift + from, operands.y + at});
      begin += count;
    }
  });
}

}  // namespace nnrt::cpu
