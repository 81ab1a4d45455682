// Unary, binary and fused elementwise operators.
#include "core/base/bytes_of.h"
#include "core/base/text.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_nodes.h"

namespace nnrt::import::mindspore {
namespace {

using namespace nnrt::mindspore;

WriteRow activation_row(Op op, ActivationType type) {
  return {op, PrimitiveType::activation, nullptr, {{"activation_type", static_cast<int64_t>(type)}}};
}

// A bias of several dimensions is an operand like any other.
void write_bias_add(NodeWriter& writer, Primitive& primitive) {
  if (writer.shape(1).size() > 1) primitive = Primitive(PrimitiveType::add_fusion);
}

// Round of MindSpore Lite rounds ties away from 0: a tie becomes twice the rounded half of it.
void write_round_half_even(NodeWriter& writer, Primitive& primitive) {
  using enum PrimitiveType;
  if (writer.input(0).dtype != DType::f32)
    fail(unsupported("MindSpore Lite has no primitive for ROUND_HALF_EVEN of ", name(writer.input(0).dtype),
                     "."));
  const uint32_t x = writer.inputs[0];
  const auto number = [&](float value) {
    return writer.add_constant(DType::f32, {1}, bytes_of(std::span(&value, 1)));
  };
  const auto made = [&](PrimitiveType type, const std::vector<uint32_t>& inputs) {
    const uint32_t result = writer.add_like(x, writer.tensor(x).dims);
    if (type == equal) writer.tensor(result).type_id = type_id_of(DType::boolean);
    writer.write(Primitive(type), inputs, {result});
    return result;
  };
  const uint32_t fraction = made(sub_fusion, {x, made(floor, {x})});
  const uint32_t half = made(round, {made(mul_fusion, {x, number(0.5f)})});
  writer.inputs = {made(equal, {fraction, number(0.5f)}), made(mul_fusion, {half, number(2)}),
                   made(round, {x})};
  primitive = Primitive(where);
}

}  // namespace

std::vector<WriteRow> elementwise_write_rows() {
  using enum PrimitiveType;
  return {
      activation_row(Op::relu, ActivationType::relu),
      activation_row(Op::relu6, ActivationType::relu6),
      activation_row(Op::sigmoid, ActivationType::sigmoid),
      activation_row(Op::tanh, ActivationType::tanh),
      activation_row(Op::hswish, ActivationType::hswish),
      activation_row(Op::hard_sigmoid, ActivationType::hsigmoid),
      activation_row(Op::swish, ActivationType::swish),
      activation_row(Op::leaky_relu, ActivationType::leaky_relu),
      activation_row(Op::gelu, ActivationType::gelu),
      {Op::add, add_fusion},
      {Op::sub, sub_fusion},
      {Op::mul, mul_fusion},
      {Op::div, div_fusion},
      {Op::eltwise, eltwise},
      {Op::pow, pow_fusion},
      {Op::exp, exp_fusion},
      {Op::clip, clip},
      {Op::bias_add, bias_add, write_bias_add},
      {Op::prelu, prelu_fusion},
      {Op::maximum, maximum},
      {Op::minimum, minimum},
      {Op::mod, mod},
      {Op::squared_difference, squared_difference},
      {Op::less, less},
      {Op::less_equal, less_equal},
      {Op::equal, equal},
      {Op::not_equal, not_equal},
      {Op::greater, greater},
      {Op::greater_equal, greater_equal},
      {Op::logical_and, logical_and},
      {Op::logical_or, logical_or},
      {Op::logical_not, logical_not},
      {Op::abs, abs},
      {Op::sqrt, sqrt},
      {Op::rsqrt, rsqrt},
      {Op::square, square},
      {Op::neg, neg},
      {Op::reciprocal, reciprocal},
      {Op::log, log},
      {Op::sin, sin},
      {Op::cos, cos},
      {Op::erf, erf},
      {Op::floor, floor},
      {Op::ceil, ceil},
      {Op::round, round},
      {Op::round_half_even, where, write_round_half_even},
      {Op::select, select},
      {Op::where, where},
  };
}

}  // namespace nnrt::import::mindspore
