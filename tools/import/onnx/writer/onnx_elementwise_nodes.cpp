// Unary, binary and other elementwise operators.
#include "core/schema/rules.h"
#include "tools/import/onnx/writer/onnx_node_writer.h"

#include <cmath>

namespace nnrt::import::onnx {
namespace {

using enum DType;

DType promoted_type(NodeWriter& node) { return promoted(node.view()); }

// Operands of one dtype.
Names promoted_inputs(NodeWriter& node) {
  const DType dtype = promoted_type(node);
  return {node.as(0, dtype), node.as(1, dtype)};
}

void write_binary(NodeWriter& node) { node.write(node.row().type, promoted_inputs(node)); }

void write_logical(NodeWriter& node) {
  Names inputs;
  for (size_t i = 0; i < node.input_count(); ++i) inputs.push_back(node.as(i, boolean));
  node.write(node.row().type, inputs);
}

void write_not_equal(NodeWriter& node) { node.write("Not", {node.derive("Equal", promoted_inputs(node))}); }

void write_squared_difference(NodeWriter& node) {
  if (promoted_type(node) == boolean) node.refuse("BOOL");
  const std::string difference = node.derive("Sub", promoted_inputs(node));
  node.write("Mul", {difference, difference});
}

void write_modulo(NodeWriter& node) { node.write("Mod", promoted_inputs(node), {{"fmod", int64_t{1}}}); }

void write_bit_shift(NodeWriter& node) {
  const bool is_left = !node.has(Attr::direction) || node.integer(Attr::direction) == 0;
  if (!(DTypeSet{u8, u16, u32, u64}.contains(promoted_type(node)))) node.refuse("signed integers");
  node.write("BitShift", promoted_inputs(node), {{"direction", std::string(is_left ? "LEFT" : "RIGHT")}});
}

void write_eltwise(NodeWriter& node) {
  constexpr const char* kTypes[] = {"Mul", "Add", "Max"};
  const int64_t mode = node.has(Attr::mode) ? node.integer(Attr::mode) : 0;
  node.write(kTypes[mode], node.all_inputs());
}

void write_square(NodeWriter& node) {
  const std::string x = node.in(0);
  node.write("Mul", {x, x});
}

// base ^ (scale * x + shift), where a base of -1 is e.
void write_exp(NodeWriter& node) {
  const auto number = [&](Attr attr, double absent) { return node.has(attr) ? node.real(attr) : absent; };
  const double base = number(Attr::base, -1), factor = base < 0 ? 1 : std::log(base);
  const double scale = number(Attr::scale, 1) * factor, shift = number(Attr::shift, 0) * factor;
  if (scale == 1 && shift == 0) return node.write("Exp", {node.in(0)});
  const DType dtype = node.dtype() == f64 ? f64 : f32;
  const std::string scaled = node.derive("Mul", {node.as(0, dtype), node.scalar(scale, dtype)});
  const std::string shifted = node.derive("Add", {scaled, node.scalar(shift, dtype)});
  node.write_cast(node.derive("Exp", {shifted}), node.dtype(), 0);
}

void write_rsqrt(NodeWriter& node) {
  if (node.is_quantized()) node.refuse("quantized values");
  node.write("Reciprocal", {node.derive("Sqrt", {node.in(0)})});
}

// Halves away from 0.
void write_round(NodeWriter& node) {
  const std::string x = node.in(0), size = node.derive("Abs", {x}), floor = node.derive("Floor", {size});
  const std::string fraction = node.derive("Sub", {size, floor});
  const std::string is_up = node.derive("GreaterOrEqual", {fraction, node.scalar(0.5, node.dtype())});
  const std::string rounded = node.derive("Add", {floor, node.cast(is_up, node.dtype())});
  node.write("Mul", {rounded, node.derive("Sign", {x})});
}

void write_swish(NodeWriter& node) {
  const std::string x = node.in(0);
  node.write("Mul", {x, node.derive("Sigmoid", {x})});
}

void write_hard_sigmoid(NodeWriter& node) {
  node.write("HardSigmoid", {node.in(0)}, {{"alpha", 1.0f / 6}, {"beta", 0.5f}});
}

void write_gelu(NodeWriter& node) {
  const bool approximate = node.flag(Attr::approximate);
  node.write("Gelu", {node.in(0)}, {{"approximate", std::string(approximate ? "tanh" : "none")}});
}

DType real_type(NodeWriter& node) { return node.is_quantized() ? f32 : node.dtype(); }

void write_relu6(NodeWriter& node) {
  node.write("Clip", {node.in(0), node.scalar(0, real_type(node)), node.scalar(6, real_type(node))});
}

// Infinity is no bound.
void write_clip(NodeWriter& node) {
  Names inputs{node.in(0)};
  for (const Attr attr : {Attr::min, Attr::max}) {
    const double bound = node.has(attr) ? node.real(attr) : 0;
    if (node.dtype() == i32 && std::isfinite(bound) && (std::trunc(bound) != bound || std::abs(bound) > 1e9))
      node.refuse("bounds of integers that are none");
    inputs.push_back(std::isinf(bound) ? std::string() : node.scalar(bound, real_type(node)));
  }
  node.write("Clip", inputs);
}

void write_bias_add(NodeWriter& node) {
  const bool is_vector = node.view().shape(1).size() < 2;
  node.write("Add", {node.in(0), is_vector ? node.by_channel(1) : node.in(1)});
}

void write_prelu(NodeWriter& node) { node.write("PRelu", {node.in(0), node.by_channel(1)}); }

// The scale belongs to the dimensions from an axis on.
void write_scale(NodeWriter& node) {
  const auto shape_of = [&](size_t i) {
    Integers shape(node.view().shape(i));
    if (shape.empty()) shape.push_back(1);
    shape.resize(node.rank() - static_cast<size_t>(node.axis(node.integer(Attr::axis))), 1);
    return node.derive("Reshape", {node.in(i), node.vector(shape)});
  };
  const std::string scaled = node.derive("Mul", {node.in(0), shape_of(1)});
  node.write("Add", {scaled, shape_of(2)});
}

}  // namespace

std::vector<WriteRow> elementwise_write_rows() {
  return {
      {Op::abs, "Abs"},
      {Op::ceil, "Ceil"},
      {Op::cos, "Cos"},
      {Op::erf, "Erf"},
      {Op::exp, "Exp", write_exp},
      {Op::floor, "Floor"},
      {Op::hswish, "HardSwish"},
      {Op::log, "Log"},
      {Op::neg, "Neg"},
      {Op::reciprocal, "Reciprocal"},
      {Op::relu, "Relu"},
      {Op::round_half_even, "Round"},
      {Op::sigmoid, "Sigmoid"},
      {Op::sign, "Sign"},
      {Op::sin, "Sin"},
      {Op::sqrt, "Sqrt"},
      {Op::tanh, "Tanh"},
      {Op::bitwise_not, "BitwiseNot"},
      {Op::leaky_relu, "LeakyRelu", write_plain, {{Attr::slope, "alpha"}}},
      {Op::clip, "Clip", write_clip},
      {Op::gelu, "Gelu", write_gelu, {}, 20},
      {Op::hard_sigmoid, "HardSigmoid", write_hard_sigmoid},
      {Op::logical_not, "Not", write_logical},
      {Op::relu6, "Clip", write_relu6},
      {Op::round, "Mul", write_round},
      {Op::rsqrt, "Reciprocal", write_rsqrt},
      {Op::square, "Mul", write_square},
      {Op::swish, "Mul", write_swish},
      {Op::add, "Add", write_binary},
      {Op::sub, "Sub", write_binary},
      {Op::mul, "Mul", write_binary},
      {Op::div, "Div", write_binary},
      {Op::maximum, "Max", write_binary},
      {Op::minimum, "Min", write_binary},
      {Op::pow, "Pow", write_binary},
      {Op::mod, "Mod", write_modulo},
      {Op::squared_difference, "Mul", write_squared_difference},
      {Op::eltwise, nullptr, write_eltwise},
      {Op::equal, "Equal", write_binary},
      {Op::not_equal, "Not", write_not_equal},
      {Op::less, "Less", write_binary},
      {Op::less_equal, "LessOrEqual", write_binary},
      {Op::greater, "Greater", write_binary},
      {Op::greater_equal, "GreaterOrEqual", write_binary},
      {Op::logical_and, "And", write_logical},
      {Op::logical_or, "Or", write_logical},
      {Op::bitwise_and, "BitwiseAnd", write_binary},
      {Op::bitwise_or, "BitwiseOr", write_binary},
      {Op::bitwise_xor, "BitwiseXor", write_binary},
      {Op::bit_shift, "BitShift", write_bit_shift},
      {Op::bias_add, "Add", write_bias_add},
      {Op::prelu, "PRelu", write_prelu},
      {Op::scale, "Add", write_scale},
      {Op::select, "Where"},
      {Op::where, "Where"},
  };
}

}  // namespace nnrt::import::onnx
