// Vectorized ADD, SUB and MUL of INT8 tensors with per-tensor quantization.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

// Returns whether the node's dtypes, scales and zero points permit the vectorized kernel.
bool supports_int8_arithmetic(const NodeView& node);
Status int8_arithmetic(const KernelArgs& args);

}  // namespace nnrt::cpu
