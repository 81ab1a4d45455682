// The sum of two quantized tensors of one shape.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

// Returns whether int8_add() computes the node, which is quantized.
bool supports_int8_add(const NodeView& node);
Status int8_add(const KernelArgs& args);

}  // namespace nnrt::cpu
