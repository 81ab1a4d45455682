// Elementwise operators with two inputs and broadcasting.
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

namespace nnrt {
namespace {

constexpr DTypeSet kArithmetic = kNum | DTypeSet{DType::u64, DType::f64, DType::boolean};
constexpr DTypeSet kComparable = kOrdered | DType::boolean;

OpSchema binary(Op op, DTypeSet dtypes, OutputRow output, std::vector<ParamRow> params = {},
                CheckFunction check = nullptr) {
  return {.op = op,
          .inputs = {{.name = "input1", .dtypes = dtypes}, {.name = "input2", .dtypes = dtypes}},
          .params = std::move(params),
          .outputs = {output},
          .infer = broadcast_shape,
          .check = check};
}

OpSchema quantized(OpSchema row) {
  row.quantized = true;
  return row;
}

OutputRow promoted_output() { return {.name = "output", .rule = DTypeRule::promoted}; }

// Quantized tensors are never promoted (R10).
Status refuse_mixed_quantization(const NodeView& node) {
  const auto coded = [&](size_t i) { return has_quantized_values(node.schema(), node.input(i)); };
  if (coded(0) == coded(1) && (!coded(0) || node.dtype(0) == node.dtype(1))) return {};
  const size_t quantized_input = coded(0) ? 0 : 1;
  return invalid("Quantized ", name(node.dtype(quantized_input)), " of ",
                 describe_input(node, quantized_input), " does not mix with ",
                 coded(1 - quantized_input) ? "quantized " : "", name(node.dtype(1 - quantized_input)),
                 " of ", describe_input(node, 1 - quantized_input), ".");
}

Status check_with_boolean(const NodeView& node) {
  NNRT_TRY(refuse_mixed_quantization(node));
  return check_boolean_activation(node);
}

Status refuse_boolean(const NodeView& node) {
  if (all_boolean(node)) return invalid("Both inputs are BOOL.");
  return {};
}

Status check_without_boolean(const NodeView& node) {
  NNRT_TRY(refuse_mixed_quantization(node));
  return refuse_boolean(node);
}

Status check_plain_numbers(const NodeView& node) {
  NNRT_TRY(refuse_quantized(node));
  return refuse_boolean(node);
}

// Integer powers are exact, so scale and shift must not change the base.
Status check_pow(const NodeView& node) {
  NNRT_TRY(check_plain_numbers(node));
  if (is_float(promoted(node))) return {};
  const double scale = node.attrs().real(Attr::scale), shift = node.attrs().real(Attr::shift);
  if (scale == 1 && shift == 0) return {};
  return unsupported("Scale (", scale, ") and shift (", shift, ") of a power of integers are not 1 and 0.");
}

OpSchema compare(Op op) {
  return quantized(binary(op, kComparable,
                          {.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::boolean}, {},
                          refuse_mixed_quantization));
}

// Nonzero numbers are true.
OpSchema logical(Op op) {
  return binary(op, kComparable, {.name = "output", .rule = DTypeRule::fixed, .dtypes = DType::boolean}, {},
                refuse_quantized);
}

// The second input must broadcast to the first.
Result<Shapes> eltwise_shape(const NodeView& node) {
  NNRT_ASSIGN(const Shape result, broadcast(node.shape(0), node.shape(1)));
  if (const auto shape = unify(node.shape(0), result); shape && result.size() == node.shape(0).size()) {
    return Shapes{*shape};
  }
  return invalid("The broadcast result ", to_string(result), " is not the shape of the first input (",
                 to_string(node.shape(0)), ").");
}

OpSchema eltwise() {
  OpSchema row = binary(Op::eltwise, kFloat | kIndex, {.name = "output"},
                        {choice_param(Param::eltwise_mode, Attr::mode, DType::i8, 3)});
  row.inputs[1].same_as = 0;
  row.infer = eltwise_shape;
  return row;
}

OpSchema pow() {
  OpSchema row =
      binary(Op::pow, kComparable, promoted_output(),
             {real_param(Param::pow_scale, Attr::scale, 1), real_param(Param::pow_shift, Attr::shift, 0)},
             check_pow);
  row.inputs[0].name = "input";
  row.inputs[1].name = "y";
  return row;
}

OpSchema channelwise(Op op, DTypeSet dtypes, std::string_view term, InferFunction infer) {
  return {.op = op,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = dtypes}, {.name = term, .same_as = 0}},
          .outputs = {{.name = "output"}},
          .infer = infer};
}

Result<Shapes> bias_add_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 2, 5));
  const Shape& input = node.shape(0);
  const Shape& bias = node.shape(1);
  if (bias.size() < 2) {
    NNRT_TRY(require_vector(node, 1, input[channel_axis(node)], "the channel count"));
    return same_shape(node);
  }
  NNRT_TRY(require_rank(node, 1, 2, input.size()));
  const size_t lead = input.size() - bias.size();
  for (size_t d = 0; d < bias.size(); ++d) {
    NNRT_TRY(require_dimension(node, 1, d, input[lead + d], "the input's"));
  }
  return same_shape(node);
}

Result<Shapes> prelu_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 1, 0, 1));
  const Shape& input = node.shape(0);
  if (compatible({}, node.shape(1))) return same_shape(node);
  if (input.size() < 2) {
    return invalid("The weight of an input of rank ", input.size(), " has more than one element (",
                   node.shape(1)[0], ").");
  }
  NNRT_TRY(require_vector(node, 1, input[channel_axis(node)], "1 or the channel count"));
  return same_shape(node);
}

OpSchema bitwise(Op op, std::vector<ParamRow> params = {}) {
  return binary(op, kInteger | DType::u64, promoted_output(), std::move(params), refuse_quantized);
}

}  // namespace

std::vector<OpSchema> binary_rows() {
  return {
      quantized(binary(Op::add, kArithmetic, promoted_output(), {activation_param(Param::add_activationtype)},
                       check_with_boolean)),
      quantized(binary(Op::sub, kArithmetic, promoted_output(), {activation_param(Param::sub_activationtype)},
                       check_without_boolean)),
      quantized(binary(Op::mul, kArithmetic, promoted_output(),
                       {activation_param(Param::mul_activation_type)}, check_with_boolean)),
      binary(Op::div, kArithmetic, promoted_output(),
             {activation_param(Param::div_activationtype),
              choice_param(Param::div_round_mode, Attr::round_mode, DType::i8, 2)},
             check_plain_numbers),
      binary(Op::mod, kComparable, promoted_output(), {}, check_plain_numbers),
      quantized(binary(Op::maximum, kComparable, promoted_output(), {}, check_without_boolean)),
      quantized(binary(Op::minimum, kComparable, promoted_output(), {}, check_without_boolean)),
      binary(Op::squared_difference, kFloat | DTypeSet{DType::i32, DType::boolean}, promoted_output()),
      pow(),
      eltwise(),
      compare(Op::less),
      compare(Op::less_equal),
      compare(Op::greater),
      compare(Op::greater_equal),
      compare(Op::equal),
      compare(Op::not_equal),
      logical(Op::logical_and),
      logical(Op::logical_or),
      channelwise(Op::bias_add, kFloat | kIndex, "bias", bias_add_shape),
      channelwise(Op::prelu, kFloat, "weight", prelu_shape),
      bitwise(Op::bitwise_and),
      bitwise(Op::bitwise_or),
      bitwise(Op::bitwise_xor),
      bitwise(Op::bit_shift, {choice_param(Param::bit_shift_direction, Attr::direction, DType::i8, 2)}),
  };
}

}  // namespace nnrt
