// Elementwise operators with one input and one output of the same dtype and shape (R18).
#include "core/schema/rules.h"

#include <cmath>

namespace nnrt {
namespace {

OpSchema unary(Op op, int since, const InputRow& input, std::vector<ParamRow> params = {},
               InferFunction infer = same_shape) {
  return {.op = op,
          .since = since,
          .quantized = input.quantized_only,
          .inputs = {input},
          .params = std::move(params),
          .outputs = {{.name = "output"}},
          .infer = infer};
}

OpSchema unary(Op op, int since, DTypeSet dtypes, std::vector<ParamRow> params = {},
               InferFunction infer = same_shape) {
  return unary(op, since, InputRow{.name = "input", .dtypes = dtypes}, std::move(params), infer);
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
  OpSchema row = unary(Op::logical_not, 12, kOrdered | DType::boolean);
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
      unary(Op::hswish, 9, quantized_input("input")),
      unary(Op::sigmoid, 9, quantized_input("input")),
      unary(Op::sqrt, 9, kFloats),
      unary(Op::tanh, 9, quantized_input("input")),
      unary(Op::rsqrt, 9, quantized_input("input"), {}, shape_up_to_rank_7),
      unary(Op::relu, 9, quantized_input("input", kFloat | DType::i32)),
      unary(Op::relu6, 9, quantized_input("input")),
      unary(Op::gelu, 9, kFloat, {since(12, flag_param(113, "OH_NN_GELU_APPROXIMATE", Attr::approximate))}),
      unary(Op::abs, 12, kFloats | kIndex | DType::u64),
      unary(Op::erf, 12, kFloat, {}, shape_up_to_rank_7),
      unary(Op::exp, 12, kFloats,
            {real_param(89, "OH_NN_EXP_BASE", Attr::base, -1),
             real_param(90, "OH_NN_EXP_SCALE", Attr::scale, 1),
             real_param(91, "OH_NN_EXP_SHIFT", Attr::shift, 0)},
            exp_shape),
      unary(Op::square, 12, kFloats | DType::i32),
      unary(Op::leaky_relu, 12, kFloat, {real_param(92, "OH_NN_LEAKY_RELU_NEGATIVE_SLOPE", Attr::slope, 0)}),
      unary(
          Op::clip, 12, kFloat | DType::i32,
          {real_param(103, "OH_NN_CLIP_MAX", Attr::max, 0), real_param(104, "OH_NN_CLIP_MIN", Attr::min, 0)},
          clip_shape),
      unary(Op::cos, 12, kFloats),
      unary(Op::log, 12, kFloats),
      logical_not(),
      plain_numbers(unary(Op::neg, 12, kExact)),
      unary(Op::reciprocal, 12, kFloats),
      unary(Op::sin, 12, kFloats),
      unary(Op::ceil, 12, kFloats),
      unary(Op::floor, 12, kFloats),
      unary(Op::round, 12, kFloats),
      unary(Op::swish, 12, kFloat),
      unary(Op::hard_sigmoid, 12, kFloat),
      plain_numbers(unary(Op::sign, 12, kExact)),
      plain_numbers(unary(Op::bitwise_not, 12, kInteger | DType::u64)),
  };
}

}  // namespace nnrt
