// Composes operations into formulas.
#pragma once

#include "tools/import/onnx/onnx_call.h"

namespace nnrt::import::onnx {

// An error ends the node at once, as a ConversionError: formulas need no check at each step.
class Formula {
 public:
  explicit Formula(Call& call) : call_(call) {}

  Call& call() { return call_; }
  [[noreturn]] void fail(Error error) { throw ConversionError(std::move(error)); }

  TensorId input(size_t i) { return given(call_.plain_input(i)); }
  TensorId given(Result<TensorId> id) { return required(std::move(id)); }
  TensorId emit(OH_NN_OperationType operation, const Ids& operands, std::vector<Parameter> parameters = {},
                const Outputs& outputs = {});
  // A single-element constant with the dtype of `like`.
  TensorId number(TensorId like, double value) { return call_.number_like(like, value); }
  Dims shape(TensorId id) const { return call_.shape(id); }
  int64_t rank(TensorId id) const { return call_.rank(id); }
  DType dtype(TensorId id) { return call_.emitter().dtype(id); }
  // The axis of a tensor, normalized to [0, rank).
  int64_t axis(int64_t axis, TensorId id) { return required(call_.axis(axis, rank(id))); }
  // Fails if the length is not known.
  int64_t length(TensorId id, int64_t axis);

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
  TensorId round(TensorId x) { return emit(extension(OH_NN_OPS_ROUND_HALF_EVEN), {x}); }
  TensorId clip(TensorId x, double min, double max);

  TensorId sum(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId mean(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId largest(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId smallest(TensorId x, const List<int64_t>& axes, bool keep = true);
  TensorId softmax(TensorId x, int64_t axis = -1);

  TensorId cast(TensorId x, DType dtype) { return given(call_.cast(x, dtype)); }
  TensorId reshape(TensorId x, const List<int64_t>& target) { return given(call_.reshape(x, target)); }
  // 0 copies a dimension, -1 is inferred.
  TensorId regroup(TensorId x, const List<int64_t>& target);
  TensorId transpose(TensorId x, const List<int64_t>& order) { return given(call_.transpose(x, order)); }
  TensorId unsqueeze(TensorId x, const List<int64_t>& axes);
  TensorId squeeze(TensorId x, const List<int64_t>& axes);
  TensorId concat(const Ids& parts, int64_t axis);
  // Elements [begin, end) along an axis; `end` may exceed the length.
  TensorId slice(TensorId x, int64_t axis, int64_t begin, int64_t end);
  TensorId gather(TensorId x, TensorId indices, int64_t axis);
  TensorId broadcast(TensorId x, const Dims& target);
  TensorId matmul(TensorId a, TensorId b, bool transpose_b = false);

  TensorId integers(const List<int64_t>& values) { return call_.emitter().integers(values); }
  TensorId constant(DType dtype, const Dims& shape, const List<double>& values);
  // A constant whose element i is `value(i)`. Checks the budget first.
  template <typename Value>
  TensorId indices(DType dtype, const Dims& shape, const Value& value);

 private:
  Call& call_;
};

template <typename Value>
TensorId Formula::indices(DType dtype, const Dims& shape, const Value& value) {
  const std::optional<size_t> bytes = nnrt::byte_size(DType::f64, shape);
  if (!bytes) fail(unsupported("A constant of shape ", to_string(shape), " does not fit."));
  if (const Status taken = call_.emitter().budget().take(*bytes); !taken.ok()) fail(taken.error());
  List<double> values;
  for (size_t i = 0; i < *bytes / sizeof(double); ++i)
    values.push_back(static_cast<double>(value(static_cast<int64_t>(i))));
  return constant(dtype, shape, values);
}

}  // namespace nnrt::import::onnx
