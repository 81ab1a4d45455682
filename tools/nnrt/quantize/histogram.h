// A histogram of a value of a model over many runs: its extremes, and how often it was near which number.
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
  // False where NaN or an infinity was among them.
  bool is_finite() const { return finite_; }
  double min() const { return min_; }
  double max() const { return max_; }
  uint64_t count() const { return count_; }  // zeros included

  // Bins of one width around 0, without the elements that are exactly 0.
  const std::vector<uint64_t>& bins() const { return bins_; }
  double width() const { return width_; }
  double center(size_t bin) const {
    return (static_cast<double>(bin) - static_cast<double>(kBins) / 2 + 0.5) * width_;
  }

 private:
  static constexpr size_t kBins = 8192;

  // Doubles the width until the magnitude has a bin.
  void reach(double magnitude);

  std::vector<uint64_t> bins_;
  double width_ = 0, min_ = 0, max_ = 0;
  uint64_t count_ = 0;
  bool finite_ = true;
};

}  // namespace nnrt::tool
