// Finds the operators of a TensorFlow Lite model that can be quantized.
#pragma once

#include "tools/import/quantizer/quantization_plan.h"
#include "tools/import/tflite/quantizer/tflite_float_model.h"

#include <optional>

namespace nnrt::import::tflite {

// Requirements of TensorFlow Lite's INT8 specification for an operator.
struct Int8Operator {
  format::BuiltinOperator code;
  NodeKind kind;
  int32_t version;             // first version with INT8 operands
  size_t operands = 1;         // from `first` on; 0: all inputs
  bool has_one_scale = false;  // operands must have the result's coding
  size_t first = 0;
  size_t channel_axis = 0;  // of the weights, which follow the operand (precede it in TRANSPOSE_CONV)
  std::optional<Int8Coding> coding{};  // fixed coding of the result
};

// Null if there is none.
const Int8Operator* find_int8_operator(format::BuiltinOperator code);

// Weight and bias inputs; TRANSPOSE_CONV's inputs start with a shape.
inline constexpr size_t kWeights = 1;
inline size_t bias_input(const Int8Operator& row) { return row.first == 0 ? 2 : 3; }

// Values are named by tensor number, since names may be missing or duplicate.
std::string value_name(int32_t tensor);
int32_t tensor_of(const std::string& value);

// In graph order.
std::vector<QuantizableNode> quantizable_operators(const FloatModel& model);

}  // namespace nnrt::import::tflite
