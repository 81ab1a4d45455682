// Elementwise operators with a direct OH_NN equivalent.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

void plain(Operator& op) { op.write(op.operands()); }

template <typename Options>
void arithmetic(Operator& op) {
  op.write_activated(op.operands(), {}, op.row().role, op.options<Options>().activation());
}

void leaky_relu(Operator& op) {
  const float alpha = op.options<format::LeakyReluOptions>().alpha();
  op.write({op.operand(0)}, {float_parameter(OH_NN_LEAKY_RELU_NEGATIVE_SLOPE, alpha)});
}

void gelu(Operator& op) {
  const bool approximate = op.options<format::GeluOptions>().approximate();
  op.write({op.operand(0)}, {bool_parameter(OH_NN_GELU_APPROXIMATE, approximate)});
}

// A rank-1 condition selects entire rows.
void select(Operator& op) {
  TensorId condition = op.input(0);
  const Shape chosen = op.input_tensor(0).shape;
  const size_t rank = op.input_tensor(1).shape.size();
  if (op.row().code == SELECT && chosen.size() == 1 && rank > 1 && chosen[0] != 1) {
    List<int64_t> axes;
    for (size_t d = 1; d < rank; ++d) axes.push_back(static_cast<int64_t>(d));
    condition = op.unsqueeze(condition, axes);
  }
  op.write({condition, op.input(1), op.input(2)});
}

void right_shift(Operator& op) {
  op.write({op.input(0), op.input(1)}, {int8_parameter(extension(OH_NN_BIT_SHIFT_DIRECTION), 1)});
}

void write_plain(NodeWriter& node) {
  if (node.code() == LOGISTIC) node.check_coding(kFractionCoding);
  if (node.code() == TANH) node.check_coding(kSignedFractionCoding);
  node.write(node.code(), node.inputs, node.outputs);
}

template <typename Options>
void write_arithmetic(NodeWriter& node) {
  Options options;
  options.activation = node.activation();
  node.write(node.code(), std::move(options), node.inputs, node.outputs);
}

void write_leaky_relu(NodeWriter& node) {
  format::LeakyReluOptionsT options;
  options.alpha = static_cast<float>(node.real(Attr::slope));
  node.write(LEAKY_RELU, std::move(options), node.inputs, node.outputs);
}

void write_gelu(NodeWriter& node) {
  format::GeluOptionsT options;
  options.approximate = node.flag(Attr::approximate);
  node.write(GELU, std::move(options), node.inputs, node.outputs);
}

// TensorFlow Lite has one scale for operands and result.
void write_extremum(NodeWriter& node) {
  Numbers32 operands;
  for (const int32_t operand : node.inputs) operands.push_back(node.requantized(operand, node.outputs[0]));
  node.write(node.code(), operands, node.outputs);
}

constexpr Row unary(BuiltinOperator code, OH_NN_OperationType type, Numbers numbers) {
  return {code, 1, 1, numbers, plain, type, write_plain};
}
constexpr Row binary(BuiltinOperator code, OH_NN_OperationType type, Numbers numbers) {
  return {code, 2, 2, numbers, plain, type, write_plain};
}
constexpr Row extremum(BuiltinOperator code, OH_NN_OperationType type) {
  return {code, 2, 2, Numbers::quantized, plain, type, write_extremum};
}

// Not constexpr: extension operator numbers are outside the enumeration's range.
const Row kElementwiseRows[] = {
    unary(ABS, OH_NN_OPS_ABS, Numbers::real),
    unary(CEIL, OH_NN_OPS_CEIL, Numbers::real),
    unary(COS, OH_NN_OPS_COS, Numbers::real),
    unary(EXP, OH_NN_OPS_EXP, Numbers::real),
    unary(FLOOR, OH_NN_OPS_FLOOR, Numbers::real),
    unary(HARD_SWISH, OH_NN_OPS_HSWISH, Numbers::quantized),
    unary(LOG, OH_NN_OPS_LOG, Numbers::real),
    unary(LOGICAL_NOT, OH_NN_OPS_LOGICAL_NOT, Numbers::any),
    unary(LOGISTIC, OH_NN_OPS_SIGMOID, Numbers::quantized),
    unary(NEG, OH_NN_OPS_NEG, Numbers::real),
    unary(RELU, OH_NN_OPS_RELU, Numbers::quantized),
    unary(RELU6, OH_NN_OPS_RELU6, Numbers::quantized),
    unary(ROUND, extension(OH_NN_OPS_ROUND_HALF_EVEN), Numbers::real),
    unary(RSQRT, OH_NN_OPS_RSQRT, Numbers::quantized),
    unary(SIGN, extension(OH_NN_OPS_SIGN), Numbers::real),
    unary(SIN, OH_NN_OPS_SIN, Numbers::real),
    unary(SQRT, OH_NN_OPS_SQRT, Numbers::real),
    unary(SQUARE, OH_NN_OPS_SQUARE, Numbers::real),
    unary(TANH, OH_NN_OPS_TANH, Numbers::quantized),
    {LEAKY_RELU, 1, 1, Numbers::real, leaky_relu, OH_NN_OPS_LEAKY_RELU, write_leaky_relu},
    {GELU, 1, 1, Numbers::real, gelu, OH_NN_OPS_GELU, write_gelu},

    {ADD, 2, 2, Numbers::quantized, arithmetic<format::AddOptions>, OH_NN_OPS_ADD,
     write_arithmetic<format::AddOptionsT>, OH_NN_ADD_ACTIVATIONTYPE},
    {SUB, 2, 2, Numbers::quantized, arithmetic<format::SubOptions>, OH_NN_OPS_SUB,
     write_arithmetic<format::SubOptionsT>, OH_NN_SUB_ACTIVATIONTYPE},
    {MUL, 2, 2, Numbers::quantized, arithmetic<format::MulOptions>, OH_NN_OPS_MUL,
     write_arithmetic<format::MulOptionsT>, OH_NN_MUL_ACTIVATION_TYPE},
    {DIV, 2, 2, Numbers::real, arithmetic<format::DivOptions>, OH_NN_OPS_DIV,
     write_arithmetic<format::DivOptionsT>, OH_NN_DIV_ACTIVATIONTYPE},
    extremum(MAXIMUM, OH_NN_OPS_MAXIMUM),
    extremum(MINIMUM, OH_NN_OPS_MINIMUM),
    binary(POW, OH_NN_OPS_POW, Numbers::real),
    binary(SQUARED_DIFFERENCE, OH_NN_OPS_SQUARED_DIFFERENCE, Numbers::real),
    binary(EQUAL, OH_NN_OPS_EQUAL, Numbers::quantized),
    binary(NOT_EQUAL, OH_NN_OPS_NOT_EQUAL, Numbers::quantized),
    binary(LESS, OH_NN_OPS_LESS, Numbers::quantized),
    binary(LESS_EQUAL, OH_NN_OPS_LESS_EQUAL, Numbers::quantized),
    binary(GREATER, OH_NN_OPS_GREATER, Numbers::quantized),
    binary(GREATER_EQUAL, OH_NN_OPS_GREATER_EQUAL, Numbers::quantized),
    binary(LOGICAL_AND, OH_NN_OPS_LOGICAL_AND, Numbers::any),
    binary(LOGICAL_OR, OH_NN_OPS_LOGICAL_OR, Numbers::any),
    binary(BITWISE_XOR, extension(OH_NN_OPS_BITWISE_XOR), Numbers::any),
    {RIGHT_SHIFT, 2, 2, Numbers::any, right_shift, extension(OH_NN_OPS_BIT_SHIFT)},
    {SELECT, 3, 3, Numbers::any, select, OH_NN_OPS_WHERE},
    {SELECT_V2, 3, 3, Numbers::any, select, OH_NN_OPS_WHERE, write_plain},
};

}  // namespace

std::span<const Row> elementwise_rows() { return kElementwiseRows; }

}  // namespace nnrt::import::tflite
