// Resize with the RESIZE operator, which supports all modes and dynamic sizes.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

Result<TensorId> resize_any(Call& call, TensorId x);

// Returns whether the sizes are bounds to fit into rather than exact sizes.
bool keeps_aspect_ratio(Call& call);

}  // namespace nnrt::import::onnx
