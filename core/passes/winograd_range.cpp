#include "core/passes/winograd_range.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace nnrt {

namespace {

// Magnitudes compare like their bit patterns, with NaN above infinity.
int32_t magnitude_bits(float value) { return std::bit_cast<int32_t>(value) & 0x7fffffff; }

// The largest magnitude of each tap of a kernel [in][9].
std::array<float, 9> tap_magnitudes(std::span<const float> kernel) {
  std::array<int32_t, 9> largest{};
  for (; !kernel.empty(); kernel = kernel.subspan(9))
    for (size_t tap = 0; tap < 9; ++tap) largest[tap] = std::max(largest[tap], magnitude_bits(kernel[tap]));
  return std::bit_cast<std::array<float, 9>>(largest);
}

}  // namespace

float winograd_limit(std::span<const float> weights, int64_t out, int64_t taps, bool taps_last) {
  // The input and output transforms amplify by at most 100 and 361.
  constexpr float kHighest = std::numeric_limits<float>::max() / 65536;
  const size_t in = weights.size() / size_t(out * taps);
  float largest = 1;
  for (; !weights.empty(); weights = weights.subspan(size_t(taps) * in)) {
    float low = std::numeric_limits<float>::max(), high = 0;
    std::array<float, 9> found{};
    if (taps_last) found = tap_magnitudes(weights.first(size_t(taps) * in));
    for (size_t tap = 0; tap < size_t(taps); ++tap) {
      const float magnitude = taps_last ? found[tap] : max_magnitude(weights.subspan(tap * in, in));
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
  int32_t largest = 0;
  for (const float value : values) largest = std::max(largest, magnitude_bits(value));
  return std::bit_cast<float>(largest);
}

}  // namespace nnrt
