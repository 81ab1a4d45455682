// The operators of a TensorFlow Lite model that can be computed on quantized values.
#pragma once

#include "tools/import/quantizer/quantization_plan.h"
#include "tools/import/tflite/quantizer/tflite_float_model.h"

#include <optional>

namespace nnrt::import::tflite {

// An operator as TensorFlow Lite's specification of INT8 wants it.
struct Int8Operator {
  format::BuiltinOperator code;
  NodeKind kind;
  int32_t version;             // the first whose operands may be INT8
  size_t operands = 1;         // from `first` on; 0: all inputs
  bool has_one_scale = false;  // operands have the coding of the result
  size_t first = 0;
  size_t channel_axis = 0;  // the weights', which stand behind or, in TRANSPOSE_CONV, before the operand
  std::optional<Int8Coding> coding{};  // the result's, whatever its range is
};

// Null where there is none.
const Int8Operator* find_int8_operator(format::BuiltinOperator code);

// The inputs that are weights and bias, for TRANSPOSE_CONV's begin with a shape.
inline constexpr size_t kWeights = 1;
inline size_t bias_input(const Int8Operator& row) { return row.first == 0 ? 2 : 3; }

// Values are named by the numbers of their tensors, because names may be missing or the same.
std::string value_name(int32_t tensor);
int32_t tensor_of(const std::string& value);

// In the graph's order.
std::vector<QuantizableNode> quantizable_operators(const FloatModel& model);

}  // namespace nnrt::import::tflite
