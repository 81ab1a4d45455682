// Operations on empty tensors. The core does not support them, so only shapes are computed: they are linear
// in the length that is 0, and are extrapolated from lengths 1 and 2.
#pragma once

#include "nnapi/lower/operation_lowering.h"
#include "nnapi/plan/host_value.h"

#include <optional>
#include <vector>

namespace nnrt::nnapi {

using Values = std::vector<std::optional<Value>>;  // by operand, as far as they are in the graph

// True for a concatenation with a non-empty part: the empty ones are ignored.
bool has_other_parts(const Operation& operation, const Values& values, const HostValues& host);

// Empty if a parameter is not known yet.
Result<std::optional<std::vector<Shape>>> shapes_without_elements(const Model& model,
                                                                  const Operation& operation,
                                                                  LowerFunction function,
                                                                  KnownOperands& known, const Values& values,
                                                                  const HostValues& host);

}  // namespace nnrt::nnapi
