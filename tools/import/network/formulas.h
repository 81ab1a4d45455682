// Formulas as operations of a network.
#pragma once

#include "tools/import/network/network_builder.h"

namespace nnrt::import {

class Formulas {
 public:
  explicit Formulas(NetworkBuilder& builder) : builder_(builder) {}

  TensorId vector(const List<int64_t>& values) { return builder_.vector(values); }
  TensorId number(DType dtype, double value) { return builder_.number(dtype, value); }
  // A single-element constant with the dtype of `like`.
  TensorId number(TensorId like, double value) { return number(builder_.dtype(like), value); }

  TensorId emit(OH_NN_OperationType operation, const List<TensorId>& operands,
                std::vector<Parameter> parameters = {}, const Outputs& outputs = {}) {
    return builder_.emit(operation, operands, std::move(parameters), outputs);
  }
  // An NNRt extension operator.
  TensorId emit(OH_NNRt_OperationType operation, const List<TensorId>& operands,
                std::vector<Parameter> parameters = {}, const Outputs& outputs = {}) {
    return emit(extension(operation), operands, std::move(parameters), outputs);
  }

  TensorId add(TensorId a, TensorId b) { return emit(OH_NN_OPS_ADD, {a, b}); }
  TensorId add(TensorId a, double b) { return add(a, number(a, b)); }
  TensorId sub(TensorId a, TensorId b) { return emit(OH_NN_OPS_SUB, {a, b}); }
  TensorId sub(TensorId a, double b) { return sub(a, number(a, b)); }
  TensorId mul(TensorId a, TensorId b) { return emit(OH_NN_OPS_MUL, {a, b}); }
  TensorId mul(TensorId a, double b) { return b == 1 ? a : mul(a, number(a, b)); }
  TensorId div(TensorId a, TensorId b) { return emit(OH_NN_OPS_DIV, {a, b}); }
  TensorId div(TensorId a, double b) { return div(a, number(a, b)); }
  TensorId max(TensorId a, TensorId b) { return emit(OH_NN_OPS_MAXIMUM, {a, b}); }
  TensorId min(TensorId a, TensorId b) { return emit(OH_NN_OPS_MINIMUM, {a, b}); }
  TensorId less(TensorId a, TensorId b) { return emit(OH_NN_OPS_LESS, {a, b}); }
  TensorId less(TensorId a, double b) { return less(a, number(a, b)); }
  TensorId equal(TensorId a, TensorId b) { return emit(OH_NN_OPS_EQUAL, {a, b}); }
  TensorId equal(TensorId a, double b) { return equal(a, number(a, b)); }
  TensorId either(TensorId a, TensorId b) { return emit(OH_NN_OPS_LOGICAL_OR, {a, b}); }
  TensorId where(TensorId condition, TensorId a, TensorId b) {
    return emit(OH_NN_OPS_WHERE, {condition, a, b});
  }

  TensorId abs(TensorId x) { return emit(OH_NN_OPS_ABS, {x}); }
  TensorId neg(TensorId x) { return emit(OH_NN_OPS_NEG, {x}); }
  TensorId sqrt(TensorId x) { return emit(OH_NN_OPS_SQRT, {x}); }
  TensorId square(TensorId x) { return emit(OH_NN_OPS_SQUARE, {x}); }
  TensorId log(TensorId x) { return emit(OH_NN_OPS_LOG, {x}); }
  TensorId exp(TensorId x) { return emit(OH_NN_OPS_EXP, {x}); }
  TensorId tanh(TensorId x) { return emit(OH_NN_OPS_TANH, {x}); }
  TensorId sigmoid(TensorId x) { return emit(OH_NN_OPS_SIGMOID, {x}); }
  TensorId reciprocal(TensorId x) { return emit(OH_NN_OPS_RECIPROCAL, {x}); }
  // Rounds half to even.
  TensorId round(TensorId x) { return emit(OH_NN_OPS_ROUND_HALF_EVEN, {x}); }
  TensorId clip(TensorId x, double min, double max);
  TensorId gelu(TensorId x, bool is_approximate) {
    return emit(OH_NN_OPS_GELU, {x}, {bool_parameter(OH_NN_GELU_APPROXIMATE, is_approximate)});
  }

  TensorId sum(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId mean(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId largest(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId smallest(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId softmax(TensorId x, int64_t axis = -1);

  TensorId cast(TensorId id, DType dtype);
  // The dimensions as INT64.
  TensorId shape_as_tensor(TensorId x) { return cast(emit(OH_NN_OPS_SHAPE, {x}), DType::i64); }
  TensorId reshape(TensorId id, const List<int64_t>& target);
  // 0 copies a dimension, -1 is inferred.
  TensorId regroup(TensorId x, const List<int64_t>& target);
  TensorId transpose(TensorId id, const List<int64_t>& order);
  TensorId unsqueeze(TensorId x, const List<int64_t>& axes);
  TensorId squeeze(TensorId x, const List<int64_t>& axes);
  TensorId concat(const List<TensorId>& parts, int64_t axis);
  // Elements [begin, end) along an axis; `end` may exceed the length.
  TensorId slice(TensorId x, int64_t axis, int64_t begin, int64_t end, int64_t stride = 1);
  // With INT64 bounds of shape [1], which may be computed.
  TensorId slice_between(TensorId x, int64_t axis, TensorId begin, TensorId end);
  // With the elements along the axes in reverse order.
  TensorId reversed(TensorId x, const List<int64_t>& axes);
  TensorId gather(TensorId x, TensorId indices, int64_t axis);
  TensorId broadcast(TensorId x, const Dims& target);
  // By [before, after] of each dimension, with zeros unless a value is given.
  TensorId padded(TensorId x, const List<int64_t>& pads, std::optional<float> value = {});
  TensorId matmul(TensorId a, TensorId b, bool transpose_b = false);

 protected:
  NetworkBuilder& builder_;

 private:
  TensorId slice_along(TensorId x, int64_t axis, TensorId begin, TensorId end, int64_t stride);
  TensorId summed_products(TensorId a, TensorId b);
};

}  // namespace nnrt::import
