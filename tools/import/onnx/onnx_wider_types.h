// Operators on dtypes that OH_NN lacks.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// Runs the node's handler. If OH_NN lacks the operation for the inputs' dtype, runs it in a wider dtype and
// casts the results back.
Ids run_in_wider_types(Call& call);

}  // namespace nnrt::import::onnx
