// Exact INT32 sums of products of zero-centered INT8 and UINT8 values.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct Integers {
  Value value;
  std::optional<TensorId> zero{};  // zero points, with the dtype of the values
};

// Like MatMul. Zero points are scalar, or per row (left) or per column (right).
Result<TensorId> product_of_integers(Call& call, const Integers& left, const Integers& right);

// Like Conv, with the node's attributes. Zero points of weights are scalar or per filter.
Result<TensorId> convolution_of_integers(Call& call, const Integers& input, const Integers& weights);

}  // namespace nnrt::import::onnx
