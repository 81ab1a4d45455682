// Resize by the operator RESIZE, which knows all modes and sizes that only a run knows.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

Result<TensorId> resize_any(Call& call, TensorId x);

// Returns whether sizes bound the result instead of being it.
bool keeps_aspect_ratio(Call& call);

}  // namespace nnrt::import::onnx
