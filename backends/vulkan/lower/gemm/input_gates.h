// The GEMM that multiplies a recurrent layer's input by its gate weights, for all time steps at once.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

struct InputGates {
  uint32_t rows = 0, inputs = 0;  // rows: steps * batch
  uint32_t gates = 0;             // gates per direction * hidden size
  uint32_t directions = 1;
  uint32_t first = 0;  // first matrix to use from input 1
};

// Returns the gates as [direction][time][batch][gate][hidden].
Result<Buffer> add_input_gates(const LoweringContext& context, const InputGates& sizes, Buffer input);

}  // namespace nnrt::vulkan
