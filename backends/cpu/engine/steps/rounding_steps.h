// Rounding half to even, as imported from ONNX: OH_NN has no such operator, and the equivalent takes eleven.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Sets Step::rounded of the WHERE that ends such a group, and Step::folded of the nodes before it. If the
// group is part of a DynamicQuantizeLinear, its last CAST gets Step::quantized instead, or the
// QUANT_DTYPE_CAST to INT8 that alone reads it. Results don't change.
void find_rounding_steps(Program& program);

// Returns whether this is CLIP to [0, 255], the range of UINT8.
bool clips_to_bytes(const PostOp& step);

// Rounds floats, as std::nearbyint() does with ties to even.
void round_half_even(const float* from, float* to, int64_t count);

// UINT8 of round_half_even(from / divisor) + addend, clamped; 0 for NaN. The bits in `flips` are inverted.
void quantize_half_even(const float* from, float divisor, float addend, uint8_t* to, int64_t count,
                        uint8_t flips = 0);

}  // namespace nnrt::cpu
