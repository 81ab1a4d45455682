// Operators on types for which OH_NN has no operation.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// Runs the handler of the node; where OH_NN has no operation for the type of its inputs, in a wider type
// whose results are cast back.
Result<Ids> run_in_wider_types(Call& call);

}  // namespace nnrt::import::onnx
