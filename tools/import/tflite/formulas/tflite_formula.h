// Composes the operations of an operator that needs several.
#pragma once

#include "tools/import/tflite/tflite_operator.h"

namespace nnrt::import::tflite {

// Shapes are inferred with the runtime's rules. An error ends the operator at once, as a ConversionError:
// formulas need no check at each step.
class Formula {
 public:
  explicit Formula(Operator& op) : op_(op) {}

  NetworkBuilder& build() { return op_.build(); }
  [[noreturn]] void fail(Error error) { throw ConversionError(std::move(error)); }

  // The operator's input, dequantized if its row requires floats.
  TensorId operand(size_t i) { return given(op_.operand(i)); }
  TensorId given(Result<TensorId> id) { return required(std::move(id)); }

  // `type` defaults to the first input's. `shape` is used if the inferred one is dynamic.
  TensorId emit(OH_NN_OperationType operation, List<TensorId> inputs, std::vector<Parameter> parameters = {},
                OH_NN_DataType type = OH_NN_UNKNOWN, const Shape& shape = {});
  // Emits the operation that writes a result of the operator.
  Status write(TensorId target, OH_NN_OperationType operation, List<TensorId> inputs,
               std::vector<Parameter> parameters = {});

  Shape shape(TensorId id) { return build().tensor(id).shape; }
  size_t rank(TensorId id) { return shape(id).size(); }
  // Fails if the dimension does not exist or is unknown.
  int32_t length(TensorId id, size_t dimension);

  TensorId number(float value) { return build().scalar(value); }
  TensorId add(TensorId a, TensorId b) { return emit(OH_NN_OPS_ADD, {a, b}); }
  TensorId sub(TensorId a, TensorId b) { return emit(OH_NN_OPS_SUB, {a, b}); }
  TensorId mul(TensorId a, TensorId b) { return emit(OH_NN_OPS_MUL, {a, b}); }
  TensorId mul(TensorId a, float b) { return b == 1 ? a : mul(a, number(b)); }
  TensorId div(TensorId a, TensorId b) { return emit(OH_NN_OPS_DIV, {a, b}); }
  TensorId max(TensorId a, TensorId b) { return emit(OH_NN_OPS_MAXIMUM, {a, b}); }
  TensorId abs(TensorId x) { return emit(OH_NN_OPS_ABS, {x}); }
  TensorId neg(TensorId x) { return emit(OH_NN_OPS_NEG, {x}); }
  TensorId sqrt(TensorId x) { return emit(OH_NN_OPS_SQRT, {x}); }
  TensorId clip(TensorId x, float low, float high);
  TensorId less(TensorId a, TensorId b) { return truth(OH_NN_OPS_LESS, a, b); }
  TensorId equal(TensorId a, TensorId b) { return truth(OH_NN_OPS_EQUAL, a, b); }
  TensorId either(TensorId a, TensorId b) { return truth(OH_NN_OPS_LOGICAL_OR, a, b); }
  TensorId where(TensorId condition, TensorId a, TensorId b);
  // Numbers have the dtype of `like`.
  TensorId cast(TensorId x, OH_NN_DataType type);

  TensorId matmul(TensorId a, TensorId b, bool transpose_b = false);
  TensorId reshape(TensorId x, const List<int64_t>& target);
  TensorId transpose(TensorId x, const List<int32_t>& order);
  TensorId concat(List<TensorId> parts, int64_t axis);
  TensorId gather(TensorId x, const List<int32_t>& indices, int32_t axis);
  // Elements [begin, end) along a dimension.
  TensorId slice(TensorId x, size_t dimension, int64_t begin, int64_t end, int64_t stride = 1);
  // Along one dimension, which is kept.
  TensorId reduce(OH_NN_OperationType operation, TensorId x, int32_t axis);

 private:
  TensorId truth(OH_NN_OperationType operation, TensorId a, TensorId b) {
    return emit(operation, {a, b}, {}, OH_NN_BOOL);
  }

  Operator& op_;
};

}  // namespace nnrt::import::tflite
