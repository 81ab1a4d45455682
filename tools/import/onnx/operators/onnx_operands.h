// Operands that several families of operators read.
#pragma once

#include "tools/import/onnx/onnx_call.h"

#include <map>

namespace nnrt::import::onnx {

// The bias of a convolution or full connection; zeros if the input is absent. INT32 if the node runs on
// quantized values.
TensorId bias_of(Call& call, size_t input, TensorId x, TensorId weights, int64_t channels);

// The "reduction" of ScatterElements and ScatterND as OH_NN's parameter.
int8_t scatter_reduction(Call& call);

// The meaning of an attribute's name. `what`: "Resize mode".
template <typename T>
T choice(std::string_view what, const std::string& name, const std::map<std::string, T>& choices) {
  const auto found = choices.find(name);
  if (found != choices.end()) return found->second;
  fail(unsupported(what, " (", name, ") is not supported."));
}

}  // namespace nnrt::import::onnx
