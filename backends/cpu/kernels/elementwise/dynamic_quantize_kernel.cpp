#include "backends/cpu/kernels/elementwise/dynamic_quantize_kernel.h"

#include "backends/cpu/simd/simd.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt::cpu {
namespace {

struct Extremes {
  float low = 0, high = 0;  // NaN is ignored
};

template <int Bytes>
[[gnu::always_inline]] inline void join_extremes(const float* values, int64_t count, Extremes& extremes) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float)), kVectors = 4;
  using V = Vector<Bytes>;
  V low[kVectors] = {}, high[kVectors] = {};
  int64_t i = 0;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    for (int64_t v = 0; v < kVectors; ++v) {
      const V x = load<Bytes>(values + i + v * kLanes);
      low[v] = x < low[v] ? x : low[v];
      high[v] = high[v] < x ? x : high[v];
    }
  }
  float lows[kLanes], highs[kLanes];
  for (int64_t v = 1; v < kVectors; ++v) {
    low[0] = low[v] < low[0] ? low[v] : low[0];
    high[0] = high[0] < high[v] ? high[v] : high[0];
  }
  store<Bytes>(lows, low[0]);
  store<Bytes>(highs, high[0]);
  Extremes all;
  const auto join = [&all](float lowest, float highest) __attribute__((always_inline)) {
    all.low = lowest < all.low ? lowest : all.low;
    all.high = all.high < highest ? highest : all.high;
  };
  for (int64_t lane = 0; lane < kLanes; ++lane) join(lows[lane], highs[lane]);
  for (; i < count; ++i) join(values[i], values[i]);
  extremes = all;
}

Extremes extremes_of(const float* values, int64_t count, ThreadPool& pool) {
  constexpr int64_t kGrain = 1 << 14, kMaxPieces = 64;
  const int64_t pieces = std::clamp<int64_t>(count / kGrain, 1, kMaxPieces);
  std::array<Extremes, size_t(kMaxPieces)> extremes;
  pool.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      const int64_t first = count * piece / pieces, last = count * (piece + 1) / pieces;
      with_vectors(
          vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
            join_extremes<bytes>(values + first, last - first, extremes[size_t(piece)]);
          });
    }
  });
  Extremes all;
  for (const Extremes& piece : extremes) {
    all.low = std::min(all.low, piece.low);
    all.high = std::max(all.high, piece.high);
  }
  return all;
}

[[gnu::always_inline]] inline float round_half_even(float x) {
  constexpr float kWhole = 8388608.0f;  // floats from here on are integers
  const float magnitude = std::abs(x), sum = magnitude + kWhole - kWhole;
  return std::copysign(magnitude < kWhole ? sum : magnitude, x);
}

// Clamped to [0, 255]; 0 for NaN.
[[gnu::always_inline]] inline int32_t saturated(float code) {
  const float positive = code > 0 ? code : 0.0f;
  return int32_t(positive < 255 ? positive : 255.0f);
}

void quantize(const float* from, float scale, float zero_point, int8_t* to, int64_t count) {
  with_vectors(
      vector_bytes(), [&](auto) __attribute__((always_inline)) {
        // Stores of bytes may alias captured variables, but not these.
        const float* const x = from;
        int8_t* const y = to;
        const int64_t values = count;
        const float by = scale, plus = zero_point;
        for (int64_t i = 0; i < values; ++i)
          y[i] = int8_t(uint8_t(saturated(round_half_even(x[i] / by) + plus)) ^ 128);
      });
}

}  // namespace

Status dynamic_quantize(const KernelArgs& args) {
  constexpr int64_t kGrain = 1 << 14;
  const int64_t count = element_count(args.node.shape()).value_or(0);
  const float* const x = args.input<float>(0);
  const Extremes extremes = extremes_of(x, count, args.pool);
  const float range = (extremes.high - extremes.low) / 255.0f, scale = range == 0 ? 1.0f : range;
  const int32_t zero_point = saturated(round_half_even(-(extremes.low / scale)));
  *args.output<float>(1) = scale;
  *args.output<int32_t>(2) = zero_point - 128;
  int8_t* const y = args.output<int8_t>();
  args.pool.parallel_for(count, kGrain, [=](int64_t begin, int64_t end) {
    quantize(x + begin, scale, float(zero_point), y + begin, end - begin);
  });
  return {};
}

}  // namespace nnrt::cpu
