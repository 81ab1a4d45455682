// GRU and RNN: a GEMM of the whole input, then a dispatch or two for each step, both directions at once.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_recurrent(const LoweringContext& context);

}  // namespace nnrt::vulkan
