// The sum of two quantized tensors of one shape.
#pragma once

#include "backends/cpu/kernel.h"

namespace nnrt::cpu {

// Whether add_codes() computes the node, which is quantized.
bool takes_add_codes(const NodeView& node);
Status add_codes(const KernelArgs& args);

}  // namespace nnrt::cpu
