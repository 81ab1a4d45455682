// Final checks of a model, and the order of its operations.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

namespace nnrt::nnapi {

Outcome check_channel_quant(const OperandType& type, const ChannelQuant& quant);

// Checks all operands and fills `model.order`, keeping the client's order if possible.
Outcome check_and_sort(Model& model);

}  // namespace nnrt::nnapi
