// Vectorized quantization of floats, bit-identical to quantize_float().
#pragma once

#include "backends/cpu/base/element.h"

namespace nnrt::cpu {

void quantize_floats(const float* from, int8_t* to, int64_t count, Affine affine);
void quantize_floats(const float* from, uint8_t* to, int64_t count, Affine affine);

}  // namespace nnrt::cpu
