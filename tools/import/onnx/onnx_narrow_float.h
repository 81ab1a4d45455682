// Rounding to BFLOAT16 and FLOAT8, whose values are stored as FLOAT32.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// The values of `x` rounded to the type, half to even. Values beyond its range become its largest if
// `saturate` is set, otherwise infinite or NaN.
TensorId rounded_to(Call& call, TensorId x, const NarrowFloat& type, bool saturate);

}  // namespace nnrt::import::onnx
