#include "core/passes/winograd_range.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace nnrt {

float winograd_limit(std::span<const float> weights, int64_t out, int64_t taps) {
  // The input and output transforms amplify by at most 100 and 361.
  constexpr float kHighest = std::numeric_limits<float>::max() / 65536;
  const size_t in = weights.size() / size_t(out * taps);
  float largest = 1;
  for (; !weights.empty(); weights = weights.subspan(size_t(taps) * in)) {
    float low = std::numeric_limits<float>::max(), high = 0;
    for (size_t tap = 0; tap < size_t(taps); ++tap) {
      const float magnitude = max_magnitude(weights.subspan(tap * in, in));
      if (!(magnitude <= std::numeric_limits<float>::max())) return 0;
      low = std::min(low, magnitude);
      high = std::max(high, magnitude);
    }
    if (high > kWinogradRange * std::max(low, 1.0f)) return 0;
    largest = std::max(largest, high);
  }
  return kHighest / (largest * float(taps) * float(in));
}

float max_magnitude(std::span<const float> values) {
  int32_t largest = 0;  // as bit patterns, which sort like the magnitudes, with NaN above infinity
  for (const float value : values) largest = std::max(largest, std::bit_cast<int32_t>(value) & 0x7fffffff);
  return std::bit_cast<float>(largest);
}

}  // namespace nnrt
