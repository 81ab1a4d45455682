// Quantized values of an ONNX model: INT8 and UINT8 with scales and zero points given as node inputs.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct Coding {
  Quant quant;             // in OH_NN's form: UINT8 becomes INT8, with zero points minus 128
  DType type = DType::i8;  // type in the file
  uint32_t axis = 0;       // of several scales
};

// Reads the scale and zero point inputs. Without a zero point the dtype is `absent`.
Result<Coding> read_coding(Call& call, size_t scale, size_t zero_point, DType absent);

// The coding of a QuantizeLinear; empty if its parameters are not constant or the type is not INT8 or UINT8.
Result<std::optional<Coding>> byte_coding(Call& call);

// The value quantized with that coding.
Result<TensorId> quantized_of(Emitter& emitter, Value& value, const Coding& coding);

// Runs a handler on quantized values and quantizes its result with `coding`.
Result<Value> run_quantized(Call& call, const Coding& coding);

}  // namespace nnrt::import::onnx
