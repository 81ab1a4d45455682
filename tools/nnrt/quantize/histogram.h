// The distribution of a value over many runs: extremes and a histogram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nnrt::tool {

class Histogram {
 public:
  void add(std::span<const float> values);

  bool empty() const { return count_ == 0; }
  // False if any element was NaN or infinite.
  bool is_finite() const { return finite_; }
  double min() const { return min_; }
  double max() const { return max_; }
  uint64_t count() const { return count_; }  // including zeros

  // Bins of equal width, centered around 0; exact zeros are not counted.
  const std::vector<uint64_t>& bins() const { return bins_; }
  double width() const { return width_; }
  double center(size_t bin) const {
    return (static_cast<double>(bin) - static_cast<double>(kBins) / 2 + 0.5) * width_;
  }

 private:
  static constexpr size_t kBins = 8192;

  // Doubles the width until the bins cover the magnitude.
  void reach(double magnitude);

  std::vector<uint64_t> bins_;
  double width_ = 0, min_ = 0, max_ = 0;
  uint64_t count_ = 0;
  bool finite_ = true;
};

}  // namespace nnrt::tool
