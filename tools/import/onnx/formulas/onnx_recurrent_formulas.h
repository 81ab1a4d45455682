// Recurrent layers with features that OH_NN's layers lack.
#pragma once

#include "tools/import/onnx/onnx_call.h"

#include <functional>

namespace nnrt::import::onnx {

// Unrolls an LSTM (4 gates), GRU (3) or RNN (1) whose features OH_NN's layers lack: different sequence
// lengths, peepholes, clipping, other activations. The number of steps must be known.
Ids recurrent_steps(Call& call, int64_t gates);
// Emits one direction of an OH_NN recurrent layer. Operands as in ONNX: input, both weights, bias, states.
using DirectionLayer = std::function<Ids(const Ids& operands)>;
// For layers that OH_NN supports except for their sequence lengths. The number of steps may be dynamic.
Ids recurrent_lengths(Call& call, int64_t gates, const DirectionLayer& layer);

}  // namespace nnrt::import::onnx
