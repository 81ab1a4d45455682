// The range in which Winograd tiles are as accurate as direct sums of products. Every input of a tile affects
// all its results: a large one causes rounding errors, and an infinite one NaN, in results that do not depend
// on it. Such tiles are computed directly.
#pragma once

#include <cstdint>
#include <span>

namespace nnrt {

// Limit for the largest magnitude in a tile, relative to 1 and to the largest magnitude that a result of the
// tile reads. The error is then within 3e-4 of the largest weight's magnitude or of the sum.
inline constexpr float kWinogradRange = 64;

// The largest input magnitude for which nothing overflows with these weights, [out][taps][in] or, of 9 taps,
// [out][in][taps]. 0: the weights of an output channel vary too much between taps by the same measure, or are
// not finite.
float winograd_limit(std::span<const float> weights, int64_t out, int64_t taps, bool taps_last = false);

// The largest magnitude; NaN if any value is NaN.
float max_magnitude(std::span<const float> values);

}  // namespace nnrt
