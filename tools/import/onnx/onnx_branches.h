// Results of bodies of which a run chooses.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// `taken` if the BOOL scalar holds, otherwise `other`. Their shapes may differ, but not their ranks.
TensorId chosen(Call& call, TensorId holds, TensorId taken, TensorId other);
// Returns whether a body was refused for what it contains: then no valid run can reach it.
bool does_not_fit(const Result<Values>& made);
// The outputs of a body as those of the node.
Ids outputs_of(Call& call, const Values& made);

}  // namespace nnrt::import::onnx
