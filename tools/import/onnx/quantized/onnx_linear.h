// QuantizeLinear and DequantizeLinear as formulas, for dtypes and parameters that OH_NN's quantized tensors
// lack.
#pragma once

#include "tools/import/onnx/onnx_quantization.h"

namespace nnrt::import::onnx {

// The output dtype of DequantizeLinear: the scale's, unless the attribute overrides it.
DType real_type_of(Call& call);

// The type of QuantizeLinear's output if it is FLOAT8, otherwise null.
const NarrowFloat* narrow_code_of(Call& call);
Ids quantize_to_narrow(Call& call, const NarrowFloat& type);

Ids quantize_by_formula(Call& call, const CodeType& type);
Ids dequantize_by_formula(Call& call);

}  // namespace nnrt::import::onnx
