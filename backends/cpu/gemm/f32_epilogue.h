// Applies F32Epilogue to a vector of sums.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"
#include "backends/cpu/simd/vector_math.h"

namespace nnrt::cpu {

// `other` loads the vector of F32Epilogue::other, if there is one.
template <int Bytes, typename Other>
[[gnu::always_inline]] inline Vector<Bytes> apply_epilogue(Vector<Bytes> sum, const F32Epilogue& epilogue,
                                                           Vector<Bytes> bias, const Other& other) {
  Vector<Bytes> result = sum + bias;
  clamp_to(result, epilogue.low, epilogue.high);
  if (epilogue.other == nullptr) return result;
  result += other();
  clamp_to(result, epilogue.other_low, epilogue.other_high);
  return result;
}

}  // namespace nnrt::cpu
