// Quantized values of an ONNX model: INT8 and UINT8 with scales and zero points that are inputs of nodes.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct Coding {
  Quant quant;             // as OH_NN has it: UINT8 becomes INT8, its zero points minus 128
  DType type = DType::i8;  // the type in the file
};

// Reads a node's inputs with a scale and a zero point. Without zero point the type is `absent`.
Result<Coding> read_coding(Call& call, size_t scale, size_t zero_point, DType absent);

// The coding of a QuantizeLinear, unless its parameters are no constants of a tensor of INT8 or UINT8.
Result<std::optional<Coding>> byte_coding(Call& call);

// The value quantized in that way.
Result<TensorId> quantized_of(Emitter& emitter, Value& value, const Coding& coding);

// Runs a handler on quantized values: its result is quantized with `coding`.
Result<Value> run_quantized(Call& call, const Coding& coding);

}  // namespace nnrt::import::onnx
