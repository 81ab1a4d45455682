// The GEMM that multiplies the input of a recurrent layer with the weights of its gates, for all steps at
// once.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

struct InputGates {
  uint32_t rows = 0, inputs = 0;  // rows: steps times batch
  uint32_t gates = 0;             // gates of one direction times hidden size
  uint32_t directions = 1;
  uint32_t first = 0;  // the first of the matrices of input 1
};

// Returns the gates of `input`, [direction][time][batch][gate][hidden].
Result<Buffer> add_input_gates(const LoweringContext& context, const InputGates& sizes, Buffer input);

}  // namespace nnrt::vulkan
