// Quantized values of an ONNX model: INT8 and UINT8 with scales and zero points given as node inputs.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct Coding {
  Quantization quant;      // in OH_NN's form: UINT8 becomes INT8, with zero points minus 128
  DType type = DType::i8;  // type in the file
  uint32_t axis = 0;       // of several scales
};

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
CodeType code_type_of(Call& call);

// The parameters of a QUANT_DTYPE_CAST.
Settings cast_parameters(DType from, DType to, uint32_t axis);

// Returns whether those of `count` inputs that are present are constant.
bool has_constants(Call& call, size_t first, size_t count);

// Reads the scale and zero point inputs. Without a zero point the dtype is `absent`.
Coding read_coding(Call& call, size_t scale, size_t zero_point, DType absent);

// The coding of a QuantizeLinear; empty if its parameters are not constant or the type is not INT8 or UINT8.
std::optional<Coding> byte_coding(Call& call);

// The same bytes (UINT8 minus 128) with other parameters. `axis` is that of the present ones.
TensorId labelled(Emitter& emitter, TensorId id, const Coding& coding, uint32_t axis = 0);

// The value quantized with that coding.
TensorId quantized_of(Emitter& emitter, Value& value, const Coding& coding);

// Runs a handler on quantized values and quantizes its result with `coding`.
Value run_quantized(Call& call, const Coding& coding);

}  // namespace nnrt::import::onnx
