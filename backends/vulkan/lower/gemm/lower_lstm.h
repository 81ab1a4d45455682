// LSTM: for each layer one product of its whole input, then a dispatch for each step, both directions at
// once.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_lstm(const LoweringContext& context);

}  // namespace nnrt::vulkan
