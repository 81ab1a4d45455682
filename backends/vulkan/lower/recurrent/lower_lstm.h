// LSTM: for each layer one GEMM of its whole input, then a dispatch for each step, both directions at once.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_lstm(const LoweringContext& context);

}  // namespace nnrt::vulkan
