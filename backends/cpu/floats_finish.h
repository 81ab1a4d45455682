// What FloatFinish tells, for a vector of sums.
#pragma once

#include "backends/cpu/floats_block.h"
#include "backends/cpu/vectors.h"

namespace nnrt::cpu {

template <int Bytes>
[[gnu::always_inline]] inline Vector<Bytes> finished(Vector<Bytes> sum, const FloatFinish& finish,
                                                     Vector<Bytes> bias, const float* other) {
  using V = Vector<Bytes>;
  const auto clamp = [](V x, float low, float high) __attribute__((always_inline)) {
    const V at_least = x < low ? V{} + low : x;
    return at_least > high ? V{} + high : at_least;
  };
  const V result = clamp(sum + bias, finish.low, finish.high);
  if (other == nullptr) return result;
  return clamp(result + *reinterpret_cast<const V*>(other), finish.other_low, finish.other_high);
}

}  // namespace nnrt::cpu
