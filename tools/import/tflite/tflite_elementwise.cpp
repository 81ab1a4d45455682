// Elementwise operators with a direct OH_NN equivalent.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

void plain(Operator& op) { op.write(op.operands()); }

template <typename Options>
void arithmetic(Operator& op) {
  op.write_activated(op.operands(), {}, op.options<Options>().activation());
}

void leaky_relu(Operator& op) {
  const float alpha = op.options<format::LeakyReluOptions>().alpha();
  op.write({op.operand(0)}, {{Attr::slope, alpha}});
}

void gelu(Operator& op) {
  const bool approximate = op.options<format::GeluOptions>().approximate();
  op.write({op.operand(0)}, {{Attr::approximate, approximate}});
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

void right_shift(Operator& op) { op.write({op.input(0), op.input(1)}, {{Attr::direction, 1}}); }

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

constexpr Row unary(BuiltinOperator code, Op type, Numbers numbers) {
  return {code, 1, 1, numbers, plain, type, write_plain};
}
constexpr Row binary(BuiltinOperator code, Op type, Numbers numbers) {
  return {code, 2, 2, numbers, plain, type, write_plain};
}
constexpr Row extremum(BuiltinOperator code, Op type) {
  return {code, 2, 2, Numbers::quantized, plain, type, write_extremum};
}

constexpr Row kElementwiseRows[] = {
    unary(ABS, Op::abs, Numbers::real),
    unary(CEIL, Op::ceil, Numbers::real),
    unary(COS, Op::cos, Numbers::real),
    unary(EXP, Op::exp, Numbers::real),
    unary(FLOOR, Op::floor, Numbers::real),
    unary(HARD_SWISH, Op::hswish, Numbers::quantized),
    unary(LOG, Op::log, Numbers::real),
    unary(LOGICAL_NOT, Op::logical_not, Numbers::any),
    unary(LOGISTIC, Op::sigmoid, Numbers::quantized),
    unary(NEG, Op::neg, Numbers::real),
    unary(RELU, Op::relu, Numbers::quantized),
    unary(RELU6, Op::relu6, Numbers::quantized),
    unary(ROUND, Op::round_half_even, Numbers::real),
    unary(RSQRT, Op::rsqrt, Numbers::quantized),
    unary(SIGN, Op::sign, Numbers::real),
    unary(SIN, Op::sin, Numbers::real),
    unary(SQRT, Op::sqrt, Numbers::real),
    unary(SQUARE, Op::square, Numbers::real),
    unary(TANH, Op::tanh, Numbers::quantized),
    {LEAKY_RELU, 1, 1, Numbers::real, leaky_relu, Op::leaky_relu, write_leaky_relu},
    {GELU, 1, 1, Numbers::real, gelu, Op::gelu, write_gelu},

    {ADD, 2, 2, Numbers::quantized, arithmetic<format::AddOptions>, Op::add,
     write_arithmetic<format::AddOptionsT>},
    {SUB, 2, 2, Numbers::quantized, arithmetic<format::SubOptions>, Op::sub,
     write_arithmetic<format::SubOptionsT>},
    {MUL, 2, 2, Numbers::quantized, arithmetic<format::MulOptions>, Op::mul,
     write_arithmetic<format::MulOptionsT>},
    {DIV, 2, 2, Numbers::real, arithmetic<format::DivOptions>, Op::div,
     write_arithmetic<format::DivOptionsT>},
    extremum(MAXIMUM, Op::maximum),
    extremum(MINIMUM, Op::minimum),
    binary(POW, Op::pow, Numbers::real),
    binary(SQUARED_DIFFERENCE, Op::squared_difference, Numbers::real),
    binary(EQUAL, Op::equal, Numbers::quantized),
    binary(NOT_EQUAL, Op::not_equal, Numbers::quantized),
    binary(LESS, Op::less, Numbers::quantized),
    binary(LESS_EQUAL, Op::less_equal, Numbers::quantized),
    binary(GREATER, Op::greater, Numbers::quantized),
    binary(GREATER_EQUAL, Op::greater_equal, Numbers::quantized),
    binary(LOGICAL_AND, Op::logical_and, Numbers::any),
    binary(LOGICAL_OR, Op::logical_or, Numbers::any),
    binary(BITWISE_XOR, Op::bitwise_xor, Numbers::any),
    {RIGHT_SHIFT, 2, 2, Numbers::any, right_shift, Op::bit_shift},
    {SELECT, 3, 3, Numbers::any, select, Op::where},
    {SELECT_V2, 3, 3, Numbers::any, select, Op::where, write_plain},
};

}  // namespace

std::span<const Row> elementwise_rows() { return kElementwiseRows; }

}  // namespace nnrt::import::tflite
