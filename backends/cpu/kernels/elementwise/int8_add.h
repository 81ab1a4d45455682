// Sum of two quantized tensors of equal shape.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

// Returns whether int8_add() supports the quantized node.
bool supports_int8_add(const NodeView& node);
Status int8_add(const KernelArgs& args);

}  // namespace nnrt::cpu
