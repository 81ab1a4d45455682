#include "tools/nnrt/quantize/range_choice.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace nnrt::tool {

void Histogram::reach(double magnitude) {
  constexpr double kHalf = static_cast<double>(kBins) / 2;
  if (bins_.empty()) {
    bins_.assign(kBins, 0);
    width_ = std::exp2(std::ceil(std::log2(magnitude / kHalf)));
  }
  while (magnitude >= width_ * kHalf) {
    std::vector<uint64_t> merged(kBins, 0);
    for (size_t i = 0; i < kBins; ++i) merged[kBins / 4 + i / 2] += bins_[i];
    bins_ = std::move(merged);
    width_ *= 2;
  }
}

void Histogram::add(std::span<const float> values) {
  float low = INFINITY, high = -INFINITY;
  for (const float value : values) {
    finite_ = finite_ && std::isfinite(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (values.empty() || !finite_) return;
  min_ = empty() ? static_cast<double>(low) : std::min(min_, static_cast<double>(low));
  max_ = empty() ? static_cast<double>(high) : std::max(max_, static_cast<double>(high));
  count_ += values.size();
  const double magnitude = std::max(std::abs(min_), std::abs(max_));
  if (magnitude == 0) return;
  reach(magnitude);
  const double factor = 1 / width_;
  for (const float value : values) {
    if (value == 0) continue;
    const auto bin = static_cast<int64_t>(std::floor(static_cast<double>(value) * factor));
    ++bins_[static_cast<size_t>(bin + static_cast<int64_t>(kBins / 2))];
  }
}

namespace {

using import::ValueRange;

// The squared error of rounding and clipping to the range, up to a factor.
double square_error(const Histogram& histogram, const ValueRange& range) {
  const double step = (range.high - range.low) / 255;
  double sum = 0;
  for (size_t i = 0; i < histogram.bins().size(); ++i) {
    if (histogram.bins()[i] == 0) continue;
    const double value = histogram.center(i);
    const double beyond = std::max({0.0, range.low - value, value - range.high});
    sum += static_cast<double>(histogram.bins()[i]) * (beyond * beyond + step * step / 12);
  }
  return sum;
}

// Tries to move each end toward 0 in steps, and keeps the range with the smallest error.
ValueRange with_smallest_error(const Histogram& histogram, const ValueRange& whole) {
  constexpr int kSteps = 64;
  ValueRange best = whole;
  double error = square_error(histogram, best);
  const auto improve = [&](double ValueRange::*end) {
    ValueRange tried = best;
    for (int step = kSteps; step > 0; --step) {
      tried.*end = whole.*end * step / kSteps;
      const double now = square_error(histogram, tried);
      if (now >= error) continue;
      error = now;
      best = tried;
    }
  };
  for (int round = 0; round < 2; ++round) {
    improve(&ValueRange::high);
    improve(&ValueRange::low);
  }
  return best;
}

ValueRange without_outliers(const Histogram& histogram, const ValueRange& whole) {
  constexpr double kShare = 1e-4;
  const auto outliers = static_cast<uint64_t>(static_cast<double>(histogram.count()) * kShare);
  const std::vector<uint64_t>& bins = histogram.bins();
  ValueRange range = whole;
  uint64_t seen = 0;
  for (size_t i = bins.size(); i-- > 0 && (seen += bins[i]) <= outliers;)
    range.high = std::min(range.high, std::max(0.0, histogram.center(i) - histogram.width() / 2));
  seen = 0;
  for (size_t i = 0; i < bins.size() && (seen += bins[i]) <= outliers; ++i)
    range.low = std::max(range.low, std::min(0.0, histogram.center(i) + histogram.width() / 2));
  return range;
}

}  // namespace

Result<RangeMethod> parse_range_method(std::string_view text) {
  if (text == "minmax") return RangeMethod::min_max;
  if (text == "percentile") return RangeMethod::percentile;
  if (text == "mse") return RangeMethod::mse;
  return invalid("Option --ranges (", text, ") is not minmax, percentile or mse.");
}

ValueRange choose_range(const Histogram& histogram, RangeMethod method) {
  const ValueRange whole{std::min(histogram.min(), 0.0), std::max(histogram.max(), 0.0)};
  if (histogram.bins().empty() || method == RangeMethod::min_max) return whole;
  return method == RangeMethod::mse ? with_smallest_error(histogram, whole)
                                    : without_outliers(histogram, whole);
}

}  // namespace nnrt::tool
