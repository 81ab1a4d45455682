// Arithmetic, comparison, selection and conversion.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <cmath>

namespace nnrt::nnapi {
namespace {

void refuse_fused_integers(Lowering& op, int64_t fuse_code) {
  if (fuse_code != ANEURALNETWORKS_FUSED_NONE)
    op.fail(invalid("Fuse code (", fuse_code, ") of INT32 is not 0."));
}

void lower_arithmetic(Lowering& op, Op core) {
  const Value a = op.in(0), b = op.in(1);
  const int64_t fuse_code = op.integer(2);
  if (a.dtype == DType::i32) refuse_fused_integers(op, fuse_code);
  const FusedActivation fused = fused_activation(op, fuse_code);
  const Settings settings{{Attr::activation, fused.activation}};
  op.set(0, apply_activation(op, op.graph.emit(core, {a, b}, settings, op.result_type()), fused));
}

void lower_div(Lowering& op) {
  const Value a = op.in(0);
  if (a.dtype != DType::i32) return lower_arithmetic(op, Op::div);
  refuse_fused_integers(op, op.integer(2));
  op.set(0, op.graph.emit(Op::div, {a, op.in(1)}, {{Attr::round_mode, 1}}));
}

template <Op core>
void lower_arithmetic(Lowering& op) {
  lower_arithmetic(op, core);
}

// Any number of inputs, and a result of the declared type.
template <Op core>
void lower_plain(Lowering& op) {
  std::vector<Value> inputs;
  for (size_t i = 0; i < op.input_count(); ++i) inputs.push_back(op.in(i));
  op.set(0, op.graph.emit(core, inputs, {}, op.result_type()));
}

// Returns whether alpha has one value per index of the last axis.
bool is_alpha_of_channels(const Value& x, const Value& alpha) {
  if (x.rank() < 2 || alpha.rank() > x.rank() || alpha.rank() == 0) return false;
  const auto lead = std::span(alpha.shape).first(alpha.rank() - 1);
  const int64_t last = alpha.shape.back();
  return std::ranges::all_of(lead, [](int64_t n) { return n == 1; }) && last == x.shape.back();
}

void lower_prelu(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value x = dequantized(graph, op.in(0)), alpha = dequantized(graph, op.in(1));
  const auto apply = [&]() -> Value {
    if (is_alpha_of_channels(x, alpha))
      return graph.emit(Op::prelu, {x, reshape(graph, alpha, {alpha.shape.back()})});
    const Value zero = graph.number(x.dtype, 0);
    const Value negative = mul(graph, graph.emit(Op::minimum, {x, zero}), alpha);
    return add(graph, graph.emit(Op::maximum, {x, zero}), negative);
  };
  op.set(0, stored_as(graph, apply(), op.result_type()));
}

void lower_select(Lowering& op) {
  GraphWriter& graph = op.graph;
  const ResultType type = op.result_type();
  const auto branch = [&](size_t i) {
    const Value value = op.in(i);
    return value.quant == type.quant ? value : stored_as(graph, value, type);
  };
  const Value condition = op.in(0), a = branch(1), b = branch(2);
  if (condition.shape != a.shape || a.shape != b.shape)
    return op.fail(invalid("Shapes of condition and branches (", to_string(condition.shape), ", ",
                           to_string(a.shape), ", ", to_string(b.shape), ") differ."));
  op.set(0, graph.emit(Op::select, {condition, a, b}, {}, type));
}

void lower_relu1(Lowering& op) { op.set(0, clamp(op.graph, op.in(0), -1, 1)); }

void lower_logistic(Lowering& op) {
  require_fixed_quant(op, 1.0 / 256, -128);
  lower_plain<Op::sigmoid>(op);
}

void lower_tanh(Lowering& op) {
  require_fixed_quant(op, 1.0 / 128, 0);
  lower_plain<Op::tanh>(op);
}

// x if x > 0, otherwise alpha * (exp(x) - 1), for any sign of alpha.
void lower_elu(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value x = op.in(0), zero = graph.number(x.dtype, 0);
  const Value below = graph.emit(Op::exp, {graph.emit(Op::minimum, {x, zero})});
  const Value scaled = mul(graph, add(graph, below, -1), op.real(1));
  op.set(0, add(graph, graph.emit(Op::maximum, {x, zero}), scaled));
}

// Unsigned 8-bit is INT8 in the graph, 128 less than the client's value.
Value raw_number(GraphWriter& graph, const Value& value, int32_t code) {
  if (code != ANEURALNETWORKS_TENSOR_QUANT8_ASYMM) return value;
  return add(graph, cast(graph, value, DType::i32), 128);
}

// Saturates to unsigned 8-bit, stored as INT8.
Value saturated(GraphWriter& graph, const Value& value) {
  const Value within = graph.emit(Op::clip, {value}, {{Attr::min, 0.0}, {Attr::max, 255.0}});
  return add(graph, cast(graph, within, DType::i32), -128);
}

void lower_cast(Lowering& op) {
  GraphWriter& graph = op.graph;
  const int32_t from = op.code(0), to = op.result_operand(0).type.code;
  const ResultType type = op.result_type();
  const Value dtype = graph.number(DType::i32, double(type.dtype));
  const auto convert = [&](const Value& value) { return graph.emit(Op::cast, {value, dtype}, {}, type); };
  if (from == to) return op.set(0, convert(op.in(0)));
  const Value raw = raw_number(graph, op.in(0), from);
  op.set(0, convert(to == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM ? saturated(graph, raw) : raw));
}

void lower_quantize(Lowering& op) { op.set(0, stored_as(op.graph, op.in(0), op.result_type())); }

void lower_dequantize(Lowering& op) {
  const Value value = op.in(0);
  const ResultType type = op.result_type();
  const auto& channels = op.operand(0).channel_quant;
  const Settings settings{{Attr::source_type, value.dtype},
                          {Attr::target_type, type.dtype},
                          {Attr::axis, channels ? channels->dimension : 0}};
  op.set(0, op.graph.emit(Op::quant_dtype_cast, {value}, settings, type));
}

constexpr LoweringRow kElementwiseLowerings[] = {
    {ANEURALNETWORKS_ADD, lower_arithmetic<Op::add>},
    {ANEURALNETWORKS_SUB, lower_arithmetic<Op::sub>},
    {ANEURALNETWORKS_MUL, lower_arithmetic<Op::mul>},
    {ANEURALNETWORKS_DIV, lower_div},
    {ANEURALNETWORKS_MAXIMUM, lower_plain<Op::maximum>},
    {ANEURALNETWORKS_MINIMUM, lower_plain<Op::minimum>},
    {ANEURALNETWORKS_POW, lower_plain<Op::pow>},
    {ANEURALNETWORKS_PRELU, lower_prelu},
    {ANEURALNETWORKS_EQUAL, lower_plain<Op::equal>},
    {ANEURALNETWORKS_NOT_EQUAL, lower_plain<Op::not_equal>},
    {ANEURALNETWORKS_GREATER, lower_plain<Op::greater>},
    {ANEURALNETWORKS_GREATER_EQUAL, lower_plain<Op::greater_equal>},
    {ANEURALNETWORKS_LESS, lower_plain<Op::less>},
    {ANEURALNETWORKS_LESS_EQUAL, lower_plain<Op::less_equal>},
    {ANEURALNETWORKS_LOGICAL_AND, lower_plain<Op::logical_and>},
    {ANEURALNETWORKS_LOGICAL_OR, lower_plain<Op::logical_or>},
    {ANEURALNETWORKS_LOGICAL_NOT, lower_plain<Op::logical_not>},
    {ANEURALNETWORKS_SELECT, lower_select},
    {ANEURALNETWORKS_ABS, lower_plain<Op::abs>},
    {ANEURALNETWORKS_NEG, lower_plain<Op::neg>},
    {ANEURALNETWORKS_EXP, lower_plain<Op::exp>},
    {ANEURALNETWORKS_LOG, lower_plain<Op::log>},
    {ANEURALNETWORKS_SIN, lower_plain<Op::sin>},
    {ANEURALNETWORKS_SQRT, lower_plain<Op::sqrt>},
    {ANEURALNETWORKS_RSQRT, lower_plain<Op::rsqrt>},
    {ANEURALNETWORKS_FLOOR, lower_plain<Op::floor>},
    {ANEURALNETWORKS_RELU, lower_plain<Op::relu>},
    {ANEURALNETWORKS_RELU1, lower_relu1},
    {ANEURALNETWORKS_RELU6, lower_plain<Op::relu6>},
    {ANEURALNETWORKS_LOGISTIC, lower_logistic},
    {ANEURALNETWORKS_TANH, lower_tanh},
    {ANEURALNETWORKS_ELU, lower_elu},
    {ANEURALNETWORKS_HARD_SWISH, lower_plain<Op::hswish>},
    {ANEURALNETWORKS_CAST, lower_cast},
    {ANEURALNETWORKS_QUANTIZE, lower_quantize},
    {ANEURALNETWORKS_DEQUANTIZE, lower_dequantize},
};

}  // namespace

std::span<const LoweringRow> elementwise_lowerings() { return kElementwiseLowerings; }

}  // namespace nnrt::nnapi
