// QuantizeLinear and DequantizeLinear as formulas, for dtypes and parameters that OH_NN's quantized tensors
// lack.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// The output type of QuantizeLinear. INT4 and UINT4 are stored in INT8 and UINT8.
struct CodeType {
  DType dtype = DType::u8;
  int bits = 8;

  bool is_byte() const { return bits == 8; }
  int64_t low() const { return is_signed() ? -(int64_t{1} << (bits - 1)) : 0; }
  int64_t high() const { return low() + (int64_t{1} << bits) - 1; }
  bool is_signed() const { return dtype == DType::i8 || dtype == DType::i16; }
};

// From the zero point, otherwise from the attribute.
Result<CodeType> code_type_of(Call& call);

// The output dtype of DequantizeLinear: the scale's, unless the attribute overrides it.
Result<DType> real_type_of(Call& call);

// The type of QuantizeLinear's output if it is FLOAT8, otherwise null.
const NarrowFloat* narrow_code_of(Call& call);
Result<Ids> quantize_to_narrow(Call& call, const NarrowFloat& type);

Result<Ids> quantize_by_formula(Call& call, const CodeType& type);
Result<Ids> dequantize_by_formula(Call& call);

}  // namespace nnrt::import::onnx
