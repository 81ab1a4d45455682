// Exact INT32 sums of products of zero-centered INT8 and UINT8 values.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

struct Integers {
  Value value;
  std::optional<TensorId> zero{};  // zero points, with the dtype of the values
};

// Products of these UINT8 values take the INT8 tensor, which holds 128 less, instead of converting them; and
// the INT32 zero point, which is 128 less, instead of this one.
void keep_as_integers(Emitter& emitter, TensorId values, TensorId integers);
void keep_as_zero_point(Emitter& emitter, TensorId zero_point, TensorId integer);

// Like MatMul. Zero points are scalar, or per row (left) or per column (right).
TensorId product_of_integers(Call& call, const Integers& left, const Integers& right);

// Like Conv, with the node's attributes. Zero points of weights are scalar or per filter.
TensorId convolution_of_integers(Call& call, const Integers& input, const Integers& weights);

}  // namespace nnrt::import::onnx
