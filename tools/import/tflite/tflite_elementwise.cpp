// Elementwise operators.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cmath>

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

TensorId is_positive(Operator& op, TensorId x) { return op.emit(Op::greater, {x, op.number(x, 0)}); }

void elu(Operator& op) {
  const TensorId x = op.operand(0);
  const TensorId negative = op.sub(op.exp(x), 1.0);
  op.write(Op::where, {is_positive(op, x), x, negative});
}

template <int low, int high>
void clip(Operator& op) {
  op.clip(op.operand(0), op.result(), low, high);
}

void floor_divide(Operator& op) {
  const TensorId x = op.operand(0), y = op.operand(1), target = op.result();
  const bool is_quotient = op.row().code == FLOOR_DIV;
  if (is_quotient && op.build().tensor(target).type == OH_NN_FLOAT32)
    return op.build().operation(Op::floor, {op.div(x, y)}, {target});
  const TensorId rest = op.emit(Op::mod, {x, y}), is_off = op.is_above_floor(rest, y);
  const TensorId truncated = is_quotient ? op.div(x, y) : rest;
  const TensorId corrected = is_quotient ? op.sub(truncated, 1.0) : op.add(truncated, y);
  op.build().operation(Op::where, {is_off, corrected, truncated}, {target});
}

// Per-channel slopes become PRELU; others are selected element by element.
void prelu(Operator& op) {
  const TensorId x = op.operand(0), slope = op.operand(1);
  const Shape shape = op.build().tensor(slope).shape;
  const auto is_one = [](int32_t dimension) { return dimension == 1; };
  const auto values = op.build().floats(slope);
  if (values && !shape.empty() && std::all_of(shape.begin(), shape.end() - 1, is_one))
    return op.write({x, op.build().vector(*values)});
  op.write(Op::where, {is_positive(op, x), x, op.mul(x, slope)});
}

// Snaps floats to the grid given by the limits and the number of bits; 0 is on the grid.
void fake_quant(Operator& op) {
  const auto& options = op.options<format::FakeQuantOptions>();
  const double min = options.min(), max = options.max(), first = options.narrow_range() ? 1 : 0;
  if (options.num_bits() < 2 || options.num_bits() > 16 || !std::isfinite(max - min) || !(min < max) ||
      min > 0 || max < 0)
    op.damaged("has limits that do not include 0, or bits outside [2, 16]");
  const double last = std::exp2(options.num_bits()) - 1, scale = (max - min) / (last - first);
  const double zero = std::clamp(std::round(first - min / scale), first, last);
  const auto low = static_cast<float>((first - zero) * scale),
             high = static_cast<float>((last - zero) * scale);
  if (!std::isfinite(static_cast<float>(1 / scale))) op.refuse("has limits that are too close");
  const TensorId x = op.operand(0);
  const OH_NN_DataType type = op.build().tensor(x).type;
  if (type != OH_NN_FLOAT32 && type != OH_NN_FLOAT16) op.refuse("has an input that is not a float");
  const TensorId above = op.sub(op.clip(x, low, high), low);
  const TensorId steps = op.emit(Op::round, {op.mul(above, 1 / scale)});
  op.write(Op::add, {op.mul(steps, scale), op.number(x, low)});
}

void add_n(Operator& op) {
  const List<TensorId> operands = op.operands();
  const TensorId target = op.result();
  TensorId sum = operands[0];
  for (size_t i = 1; i + 1 < operands.size(); ++i) sum = op.add(sum, operands[i]);
  op.write_to(target, Op::add, {sum, operands.back()});
}

void write_clip(NodeWriter& node) {
  if (node.dtype() != DType::f32) node.refuse("integers");
  const auto low = static_cast<float>(node.real(Attr::min)), high = static_cast<float>(node.real(Attr::max));
  if (low == -1 && high == 1) return node.write(RELU_N1_TO_1, node.inputs, node.outputs);
  const int32_t raised = node.derive(MAXIMUM, {node.inputs[0], node.number(low)});
  node.write(MINIMUM, {raised, node.number(high)}, node.outputs);
}

void write_swish(NodeWriter& node) {
  node.write(MUL, {node.inputs[0], node.derive(LOGISTIC, node.inputs)}, node.outputs);
}

// relu6(x + 3) / 6
void write_hard_sigmoid(NodeWriter& node) {
  const int32_t raised = node.derive(ADD, {node.inputs[0], node.number(3)});
  node.write(DIV, {node.derive(RELU6, {raised}), node.number(6)}, node.outputs);
}

void write_reciprocal(NodeWriter& node) { node.write(DIV, {node.number(1), node.inputs[0]}, node.outputs); }

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
    {ELU, 1, 1, Numbers::real, elu},
    {RELU_N1_TO_1, 1, 1, Numbers::quantized, clip<-1, 1>},
    {RELU_0_TO_1, 1, 1, Numbers::quantized, clip<0, 1>},
    {FLOOR_DIV, 2, 2, Numbers::real, floor_divide},
    {FLOOR_MOD, 2, 2, Numbers::real, floor_divide},
    {PRELU, 2, 2, Numbers::real, prelu, Op::prelu, write_plain},
    {FAKE_QUANT, 1, 1, Numbers::real, fake_quant},
    {ADD_N, 2, kMany, Numbers::real, add_n},
    written(ADD, Op::bias_add, Numbers::real, write_plain),
    written(MAXIMUM, Op::clip, Numbers::real, write_clip),
    written(MUL, Op::swish, Numbers::real, write_swish),
    written(DIV, Op::hard_sigmoid, Numbers::real, write_hard_sigmoid),
    written(DIV, Op::reciprocal, Numbers::real, write_reciprocal),
};

}  // namespace

std::span<const Row> elementwise_rows() { return kElementwiseRows; }

}  // namespace nnrt::import::tflite
