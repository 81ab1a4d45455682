// The magnitudes for which Winograd's tiles are as good as sums of products. All inputs of a tile take part
// in each of its results: a large one leaves its rounding error, and an infinite one NaN, in results that do
// not read it. Such tiles are computed directly.
#pragma once

#include <cstdint>
#include <span>

namespace nnrt {

// The largest magnitude in a tile may be so many times 1, and so many times the largest one that a result of
// the tile reads. The error beside an exact sum is then within 3e-4 of the largest weight's magnitude or of
// the sum.
inline constexpr float kWinogradRange = 64;

// Returns the largest magnitude of an input for which no step overflows with these weights,
// [out][taps][in]. 0: the weights of an output channel range too widely from tap to tap, by the same measure,
// or are not finite.
float winograd_limit(std::span<const float> weights, int64_t out, int64_t taps);

// Returns the largest magnitude; NaN where there is one.
float max_magnitude(std::span<const float> values);

}  // namespace nnrt
