// LSTM, GRU and RNN. For each layer: one GEMM over all time steps of the input, then one or two dispatches
// per step for both directions, or one for all steps (sequence_kernel.h).
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_lstm(const LoweringContext& context);
Status lower_recurrent(const LoweringContext& context);  // GRU, RNN

}  // namespace nnrt::vulkan
