// Constants where a run needs them outside of a graph.
#pragma once

#include "nnapi/plan/prepared_segment.h"

namespace nnrt::nnapi {

// A copy of a constant in memory of its own; an omitted operand is omitted.
Result<HostValue> constant_value(const Operand& operand, const RunState& state);

}  // namespace nnrt::nnapi
