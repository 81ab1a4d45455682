#include "backends/cpu/base/quantize_floats.h"

#include "backends/cpu/simd/simd.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace nnrt::cpu {
namespace {

// Rounding in float is exact unless the quotient is close to a tie.
struct FastRounding {
  float factor;     // 1 / scale
  float low, high;  // without the zero point
  float sure;       // results this close to an integer round the same way as in exact arithmetic
  int32_t zero_point;
};

constexpr float kRounder = 12582912.0f;  // adding it rounds to an integer
constexpr int64_t kBlock = 128;          // elements recomputed exactly if one quotient is close to a tie
constexpr int64_t kShortest = 24;        // shorter remainders go element by element

template <typename Code>
FastRounding fast_rounding(Affine affine) {
  constexpr int32_t kLow = std::is_signed_v<Code> ? -128 : 0;
  FastRounding fast{};
  fast.factor = float(1 / affine.scale);
  fast.low = float(kLow - affine.zero_point);
  fast.high = float(kLow + 255 - affine.zero_point);
  // The factor, the product and the exact quotient each have an error of half a ULP.
  constexpr float kErrors = 4, kUnit = 1.2e-7f;
  fast.sure = 0.5f - kErrors * kUnit / 2 * (std::max(std::abs(fast.low), std::abs(fast.high)) + 1);
  fast.zero_point = affine.zero_point;
  return fast;
}

// Requires a normal float factor, and values in the range where kRounder is exact.
bool is_exact_enough(Affine affine) {
  return affine.scale > 1e-30 && affine.scale < 1e30 && std::abs(affine.zero_point) <= 1024;
}

template <typename Code>
void quantize_exactly(const float* from, Code* to, int64_t count, Affine affine) {
  for (int64_t i = 0; i < count; ++i) to[i] = quantize_float<Code>(from[i], affine);
}

// Rounds a block; returns whether all of its results are certain.
template <int Bytes, typename Code>
[[gnu::always_inline]] inline bool quantize_block(const FastRounding& fast, const float* from, Code* to) {
  using V = Vector<Bytes>;
  constexpr int64_t kLanes = Bytes / 4;
  int32_t rounded[kBlock];
  V worst{};
  for (int64_t i = 0; i < kBlock; i += kLanes) {
    V value = load<Bytes>(from + i) * fast.factor;
    value = value > fast.low ? value : fast.low - V{};  // NaN becomes the lowest value
    value = value < fast.high ? value : fast.high - V{};
    const V raised = value + kRounder;
    V off = value - (raised - kRounder);
    off = off < 0 ? -off : off;
    worst = worst > off ? worst : off;
    store<Bytes>(reinterpret_cast<float*>(rounded + i), raised);
  }
  const int32_t offset = fast.zero_point - std::bit_cast<int32_t>(kRounder);
  for (int64_t i = 0; i < kBlock; ++i) to[i] = static_cast<Code>(rounded[i] + offset);
  bool is_sure = true;
  for (int64_t lane = 0; lane < kLanes; ++lane) is_sure = is_sure && worst[lane] <= fast.sure;
  return is_sure;
}

template <typename Code>
void quantize_all(const float* from, Code* to, int64_t count, Affine affine) {
  int64_t done = 0;
  if (is_exact_enough(affine)) {
    const FastRounding fast = fast_rounding<Code>(affine);
    with_vectors(
        vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
          for (; count - done >= kBlock; done += kBlock)
            if (!quantize_block<bytes>(fast, from + done, to + done))
              quantize_exactly(from + done, to + done, kBlock, affine);
          if (count - done < kShortest) return;
          float padded[kBlock] = {};
          Code quantized[kBlock];
          std::copy(from + done, from + count, padded);
          if (!quantize_block<bytes>(fast, padded, quantized)) return;
          std::copy_n(quantized, count - done, to + done);
          done = count;
        });
  }
  quantize_exactly(from + done, to + done, count - done, affine);
}

}  // namespace

void quantize_floats(const float* from, int8_t* to, int64_t count, Affine affine) {
  quantize_all(from, to, count, affine);
}

void quantize_floats(const float* from, uint8_t* to, int64_t count, Affine affine) {
  quantize_all(from, to, count, affine);
}

}  // namespace nnrt::cpu
