// Elementwise operators with one input and one output of the same dtype and shape (R18).
#include "core/schema/rules.h"

#include <cmath>

namespace nnrt {
namespace {

OpSchema unary(Op op, const InputRow& input, std::vector<ParamRow> params = {},
               InferFunction infer = same_shape) {
  return {.op = op,
          .quantized = input.quantized_only,
          .inputs = {input},
          .params = std::move(params),
          .outputs = {{.name = "output"}},
          .infer = infer};
}

OpSchema unary(Op op, DTypeSet dtypes, std::vector<ParamRow> params = {}, InferFunction infer = same_shape) {
  return unary(op, InputRow{.name = "input", .dtypes = dtypes}, std::move(params), infer);
}

Result<Shapes> shape_up_to_rank_7(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 1, 7));
  return same_shape(node);
}

Result<Shapes> exp_shape(const NodeView& node) {
  constexpr double kNatural = -1;
  const double base = node.attrs().real(Attr::base);
  if (!(base > 0) && base != kNatural) return invalid("Base (", base, ") is neither positive nor -1.");
  return same_shape(node);
}

Result<Shapes> clip_shape(const NodeView& node) {
  const double min = node.attrs().real(Attr::min);
  const double max = node.attrs().real(Attr::max);
  if (std::isnan(min) || std::isnan(max)) return invalid("A bound (", min, ", ", max, ") is NaN.");
  if (min > max) return invalid("Minimum (", min, ") is above the maximum (", max, ").");
  return same_shape(node);
}

// True if the input is 0.
OpSchema logical_not() {
  OpSchema row = unary(Op::logical_not, kOrdered | DType::boolean);
  row.outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::boolean}};
  row.check = refuse_quantized;
  return row;
}

OpSchema plain_numbers(OpSchema row) {
  row.check = refuse_quantized;
  return row;
}

constexpr DTypeSet kFloats = kFloat | DType::f64;

}  // namespace

std::vector<OpSchema> unary_rows() {
  constexpr DTypeSet kExact = kFloats | kIndex | DTypeSet{DType::i8, DType::i16, DType::u64};
  return {
      unary(Op::hswish, quantized_input("input")),
      unary(Op::sigmoid, quantized_input("input")),
      unary(Op::sqrt, kFloats),
      unary(Op::tanh, quantized_input("input")),
      unary(Op::rsqrt, quantized_input("input"), {}, shape_up_to_rank_7),
      unary(Op::relu, quantized_input("input", kFloat | DType::i32)),
      unary(Op::relu6, quantized_input("input")),
      unary(Op::gelu, kFloat, {flag_param(Param::gelu_approximate, Attr::approximate)}),
      unary(Op::abs, kFloats | kIndex | DType::u64),
      unary(Op::erf, kFloat, {}, shape_up_to_rank_7),
      unary(Op::exp, kFloats,
            {real_param(Param::exp_base, Attr::base, -1), real_param(Param::exp_scale, Attr::scale, 1),
             real_param(Param::exp_shift, Attr::shift, 0)},
            exp_shape),
      unary(Op::square, kFloats | DType::i32),
      unary(Op::leaky_relu, kFloat, {real_param(Param::leaky_relu_negative_slope, Attr::slope, 0)}),
      unary(Op::clip, kFloat | DType::i32,
            {real_param(Param::clip_max, Attr::max, 0), real_param(Param::clip_min, Attr::min, 0)},
            clip_shape),
      unary(Op::cos, kFloats),
      unary(Op::log, kFloats),
      logical_not(),
      plain_numbers(unary(Op::neg, kExact)),
      unary(Op::reciprocal, kFloats),
      unary(Op::sin, kFloats),
      unary(Op::ceil, kFloats),
      unary(Op::floor, kFloats),
      unary(Op::round, kFloats),
      unary(Op::swish, kFloat),
      unary(Op::hard_sigmoid, kFloat),
      plain_numbers(unary(Op::sign, kExact)),
      plain_numbers(unary(Op::bitwise_not, kInteger | DType::u64)),
      unary(Op::round_half_even, kFloats),
  };
}

}  // namespace nnrt
