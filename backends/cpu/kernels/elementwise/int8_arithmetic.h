// Vectorized ADD, SUB and MUL of INT8 tensors with per-tensor quantization.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

// For nodes that supports_int8_arithmetic() permits.
Status int8_arithmetic(const KernelArgs& args);

}  // namespace nnrt::cpu
