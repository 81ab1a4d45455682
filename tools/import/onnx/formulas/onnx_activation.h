// Activations, as nodes and in the gates of recurrent layers.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct ActivationFunction {
  std::string_view name;
  TensorId (*apply)(Call& call, TensorId x, double alpha, double beta);
  int parameters = 0;  // 1: alpha; 2: beta too
  double alpha = 0, beta = 0;
};

// Null if no gate may have it.
const ActivationFunction* find_activation(std::string_view name);

}  // namespace nnrt::import::onnx
