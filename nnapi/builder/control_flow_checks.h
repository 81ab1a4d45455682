// The models of an IF or WHILE must fit its operands.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <span>

namespace nnrt::nnapi {

// For operands that fit the operation's row. Other operations than these two always fit.
Outcome check_control_flow(int32_t code, std::span<const Operand* const> inputs,
                           std::span<const Operand* const> outputs);

}  // namespace nnrt::nnapi
