// Final checks of a model, and the order of its operations.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <span>

namespace nnrt::nnapi {

Outcome check_channel_quant(const OperandType& type, const ChannelQuant& quant);

// Checks all operands and fills `model.order`, keeping the client's order if possible.
Outcome check_and_sort(Model& model);

// The models of an IF or WHILE must match its operands, which must have passed check_signature(). Other
// operations always pass.
Outcome check_control_flow(int32_t code, std::span<const Operand* const> inputs,
                           std::span<const Operand* const> outputs);

}  // namespace nnrt::nnapi
