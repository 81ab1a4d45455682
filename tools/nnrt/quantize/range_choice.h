// Chooses the range represented by the 256 quantized values of a tensor.
#pragma once

#include "core/base/result.h"
#include "tools/import/model_quantizer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::tool {

// The distribution of a value over many runs: extremes and a histogram.
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

enum class RangeMethod {
  min_max,     // the full observed range
  percentile,  // without the outermost 0.01 % on either side
  mse,         // minimizes the mean square error of rounding and clipping
};

// "minmax", "percentile" or "mse".
Result<RangeMethod> parse_range_method(std::string_view text);

nnrt::import::ValueRange choose_range(const Histogram& histogram, RangeMethod method);

}  // namespace nnrt::tool
