#include "tools/nnrt/quantize/histogram.h"

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

}  // namespace nnrt::tool
