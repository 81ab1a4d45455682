// GRU and RNN: one GEMM over all time steps of the input, then one or two dispatches per step for both
// directions.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_recurrent(const LoweringContext& context);

}  // namespace nnrt::vulkan
