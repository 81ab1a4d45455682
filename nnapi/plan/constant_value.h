// Constants used by a run outside of a graph.
#pragma once

#include "nnapi/plan/prepared_segment.h"

namespace nnrt::nnapi {

// A copy of a constant in its own memory; omitted operands stay omitted.
Result<HostValue> constant_value(const Operand& operand, const RunState& state);

}  // namespace nnrt::nnapi
