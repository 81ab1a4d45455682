// Elementwise operations of one or more tensors.
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

void lower_identity(Lowering& op) { op.set(0, op.in(0)); }

void lower_activated(Lowering& op) { op.emit_activated(op.op(), op.inputs()); }

// Two or more tensors, from left to right.
void lower_chain(Lowering& op, Op core) {
  List<Value> inputs = op.inputs();
  if (inputs.size() == 1) return op.set(0, inputs[0]);
  Value sum = inputs[0];
  for (size_t i = 1; i + 1 < inputs.size(); ++i) sum = op.emit(core, {sum, inputs[i]});
  op.emit_results(core, {sum, inputs.back()});
}

void lower_add_n(Lowering& op) { lower_chain(op, Op::add); }

void lower_eltwise(Lowering& op) {
  constexpr Op kOps[] = {Op::mul, Op::add, Op::maximum};
  const int64_t mode = op.primitive.integer("mode");
  if (mode < 0 || mode > 2) op.refuse("Mode (", mode, ") is outside [0, 2].");
  lower_chain(op, kOps[mode]);
}

// The limits are attributes, or inputs in later files.
void lower_clip(Lowering& op) {
  float min = op.primitive.real("min"), max = op.primitive.real("max");
  if (op.input_count() > 1) {
    const auto low = op.real(1), high = op.has(2) ? op.real(2) : std::optional<float>(max);
    if (!low || !high) op.refuse("The limits are not constant.");
    min = *low;
    max = *high;
  }
  op.emit_result({op.in(0)}, {{Attr::min, min}, {Attr::max, max}});
}

void lower_floor_div(Lowering& op) {
  const List<Value> inputs = op.inputs();
  if (is_float(inputs[0].dtype) || inputs[0].is_quantized())
    return op.emit_results(Op::floor, {op.emit(Op::div, inputs)});
  op.emit_results(Op::div, inputs, {{Attr::round_mode, 1}});
}

// x - y * floor(x / y): the sign of y.
void lower_floor_mod(Lowering& op) {
  const Value x = op.real_in(0), y = op.real_in(1);
  const Value quotient = is_float(x.dtype) ? op.emit(Op::floor, {op.emit(Op::div, {x, y})})
                                           : op.emit(Op::div, {x, y}, {{Attr::round_mode, 1}});
  op.emit_results(Op::sub, {x, op.emit(Op::mul, {y, quotient})});
}

void lower_log1p(Lowering& op) { op.emit_results(Op::log, {add(op.graph, op.real_in(0), 1)}); }

// PReLU's slope has one element or one per channel; its dims may be [1, 1, C].
void lower_prelu(Lowering& op) {
  Value slope = op.in(1);
  if (slope.rank() > 1) {
    const auto count = element_count(slope.shape);
    if (!count) op.refuse("The shape of the slope is not known.");
    slope = reshape(op.graph, slope, {*count});
  }
  op.emit_result({op.in(0), slope});
}

// Conditions of one element, or of the data's shape.
void lower_select(Lowering& op) {
  if (op.input_count() != 3) op.refuse("A selection between several tensors is control flow.");
  const Value condition = cast(op.graph, op.in(0), DType::boolean);
  op.emit_results(Op::where, {condition, op.in(1), op.in(2)});
}

// Without data: the coordinates of true elements.
void lower_where(Lowering& op) {
  if (op.input_count() == 3) return lower_select(op);
  if (op.input_count() != 1) op.fail(invalid("The number of inputs (2) is neither 1 nor 3."));
  const Value found = op.emit(Op::non_zero, {op.in(0)});
  op.set(0, transpose(op.graph, found, {1, 0}));
}

void lower_is_finite(Lowering& op) {
  // Infinite and NaN differ from themselves minus themselves plus 0.
  const Value x = op.in(0);
  const Value zero = op.emit(Op::sub, {x, x});
  op.emit_results(Op::equal, {zero, op.graph.number(x.dtype, 0)});
}

}  // namespace

std::span<const LoweringRow> elementwise_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::abs, 1, 1, lower_plain, Op::abs},
      {PrimitiveType::add_fusion, 2, 2, lower_activated, Op::add},
      {PrimitiveType::add_n, 1, kMany, lower_add_n},
      // Channels are last, also for ranks that BIAS_ADD reads as NCHW.
      {PrimitiveType::bias_add, 2, 2, lower_plain, Op::add},
      {PrimitiveType::ceil, 1, 1, lower_plain, Op::ceil},
      {PrimitiveType::clip, 1, 3, lower_clip, Op::clip},
      {PrimitiveType::cos, 1, 1, lower_plain, Op::cos},
      {PrimitiveType::depend, 1, kMany, lower_identity},
      {PrimitiveType::div_fusion, 2, 2, lower_activated, Op::div},
      {PrimitiveType::dropout, 1, kMany, lower_identity},
      {PrimitiveType::eltwise, 1, kMany, lower_eltwise, Op::eltwise},
      {PrimitiveType::equal, 2, 2, lower_plain, Op::equal},
      {PrimitiveType::erf, 1, 1, lower_plain, Op::erf},
      {PrimitiveType::exp_fusion, 1, 1, lower_plain, Op::exp},
      {PrimitiveType::floor, 1, 1, lower_plain, Op::floor},
      {PrimitiveType::floor_div, 2, 2, lower_floor_div},
      {PrimitiveType::floor_mod, 2, 2, lower_floor_mod},
      {PrimitiveType::greater, 2, 2, lower_plain, Op::greater},
      {PrimitiveType::greater_equal, 2, 2, lower_plain, Op::greater_equal},
      {PrimitiveType::is_finite, 1, 1, lower_is_finite},
      {PrimitiveType::less, 2, 2, lower_plain, Op::less},
      {PrimitiveType::less_equal, 2, 2, lower_plain, Op::less_equal},
      {PrimitiveType::log, 1, 1, lower_plain, Op::log},
      {PrimitiveType::log1p, 1, 1, lower_log1p},
      {PrimitiveType::logical_and, 2, 2, lower_plain, Op::logical_and},
      {PrimitiveType::logical_not, 1, 1, lower_plain, Op::logical_not},
      {PrimitiveType::logical_or, 2, 2, lower_plain, Op::logical_or},
      {PrimitiveType::maximum, 2, 2, lower_plain, Op::maximum},
      {PrimitiveType::minimum, 2, 2, lower_plain, Op::minimum},
      {PrimitiveType::mod, 2, 2, lower_plain, Op::mod},
      {PrimitiveType::mul_fusion, 2, 2, lower_activated, Op::mul},
      {PrimitiveType::neg, 1, 1, lower_plain, Op::neg},
      {PrimitiveType::not_equal, 2, 2, lower_plain, Op::not_equal},
      {PrimitiveType::pow_fusion, 2, 2, lower_plain, Op::pow},
      {PrimitiveType::prelu_fusion, 2, 2, lower_prelu, Op::prelu},
      {PrimitiveType::real_div, 2, 2, lower_plain, Op::div},
      {PrimitiveType::reciprocal, 1, 1, lower_plain, Op::reciprocal},
      {PrimitiveType::round, 1, 1, lower_plain, Op::round},
      {PrimitiveType::rsqrt, 1, 1, lower_plain, Op::rsqrt},
      {PrimitiveType::select, 3, kMany, lower_select, Op::where},
      {PrimitiveType::sin, 1, 1, lower_plain, Op::sin},
      {PrimitiveType::sqrt, 1, 1, lower_plain, Op::sqrt},
      {PrimitiveType::square, 1, 1, lower_plain, Op::square},
      {PrimitiveType::squared_difference, 2, 2, lower_plain, Op::squared_difference},
      {PrimitiveType::sub_fusion, 2, 2, lower_activated, Op::sub},
      {PrimitiveType::where, 1, 3, lower_where, Op::where},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
