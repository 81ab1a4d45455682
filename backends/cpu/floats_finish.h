// What FloatFinish tells, for a vector of sums.
#pragma once

#include "backends/cpu/floats_block.h"
#include "backends/cpu/vector_math.h"

namespace nnrt::cpu {

template <int Bytes>
[[gnu::always_inline]] inline Vector<Bytes> finished(Vector<Bytes> sum, const FloatFinish& finish,
                                                     Vector<Bytes> bias, const float* other) {
  Vector<Bytes> result = sum + bias;
  keep_within(result, finish.low, finish.high);
  if (other == nullptr) return result;
  result += *reinterpret_cast<const Vector<Bytes>*>(other);
  keep_within(result, finish.other_low, finish.other_high);
  return result;
}

}  // namespace nnrt::cpu
