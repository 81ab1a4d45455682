// Exact sums of products of INT8 and UINT8, each less its zero point, as INT32.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct Integers {
  Value value;
  std::optional<TensorId> zero{};  // zero points, of the type of the values
};

// As MatMul. Zero points are one, one for each row of the left or each column of the right operand.
Result<TensorId> product_of_integers(Call& call, const Integers& left, const Integers& right);

// As Conv, with the attributes of the node. Zero points of the weights are one, or one for each filter.
Result<TensorId> convolution_of_integers(Call& call, const Integers& input, const Integers& weights);

}  // namespace nnrt::import::onnx
