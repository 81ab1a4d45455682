// Applies F32Epilogue to a vector of sums.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"
#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {

template <int Bytes>
[[gnu::always_inline]] inline Vector<Bytes> apply_epilogue(Vector<Bytes> sum, const F32Epilogue& epilogue,
                                                           Vector<Bytes> bias, const float* other) {
  Vector<Bytes> result = sum + bias;
  clamp_to(result, epilogue.low, epilogue.high);
  if (other == nullptr) return result;
  result += load<Bytes>(other);
  clamp_to(result, epilogue.other_low, epilogue.other_high);
  return result;
}

}  // namespace nnrt::cpu
