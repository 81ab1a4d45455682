// LSTM. For each layer: one GEMM over all time steps of the input, then a dispatch per step for both
// directions.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_lstm(const LoweringContext& context);

}  // namespace nnrt::vulkan
