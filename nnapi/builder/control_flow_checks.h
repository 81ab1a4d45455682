// The models of an IF or WHILE must match its operands.
#pragma once

#include "nnapi/base/outcome.h"
#include "nnapi/model/model.h"

#include <span>

namespace nnrt::nnapi {

// The operands must have passed check_signature(). Other operations always pass.
Outcome check_control_flow(int32_t code, std::span<const Operand* const> inputs,
                           std::span<const Operand* const> outputs);

}  // namespace nnrt::nnapi
