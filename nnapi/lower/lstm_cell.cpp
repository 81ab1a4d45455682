#include "nnapi/lower/lstm_cell.h"

#include "core/base/text.h"
#include "nnapi/lower/compose.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

constexpr double kSmallestVariance = 1e-8;

Value sigmoid(GraphWriter& graph, const Value& value) { return graph.emit(Op::sigmoid, {value}); }

// The rows of one step.
Value rows_of(GraphWriter& graph, const Value& all, int64_t step, int64_t batch) {
  return all.dim(0) == batch ? all : slice(graph, all, 0, step * batch, batch);
}

}  // namespace

OptionalValue optional_input(Lowering& op, size_t i) {
  if (!op.has(i)) return {};
  return cast(op.graph, op.in(i), DType::f32);
}

Value linear(GraphWriter& graph, const Value& x, const Value& weight, const OptionalValue& bias) {
  std::vector<Value> inputs{x, weight};
  if (bias) inputs.push_back(*bias);
  return graph.emit(Op::full_connection, inputs);
}

Value zeros(GraphWriter& graph, const Shape& shape) {
  const auto count = size_t(element_count(shape).value_or(1));
  return graph.constant(DType::f32, shape, std::make_shared<const Bytes>(count * sizeof(float)));
}

LstmCell::LstmCell(Lowering& op, const LstmOperands& at, size_t activation, size_t cell_clip,
                   size_t projection_clip)
    : op_(op),
      projection_(optional_input(op, at.projection)),
      projection_bias_(optional_input(op, at.projection_bias)),
      activation_(op.integer(activation)),
      cell_clip_(op.real(cell_clip)),
      projection_clip_(op.real(projection_clip)) {
  for (size_t i = 0; i < gates_.size(); ++i) {
    gates_[i].weight = optional_input(op, at.weights + i);
    gates_[i].recurrent = optional_input(op, at.recurrent + i);
    gates_[i].bias = optional_input(op, at.biases + i);
    gates_[i].norm = optional_input(op, at.norms + i);
    if (at.auxiliary) gates_[i].auxiliary = optional_input(op, *at.auxiliary + i);
  }
  gates_[kInput].peephole = optional_input(op, at.peepholes);
  gates_[kForget].peephole = optional_input(op, at.peepholes + 1);
  gates_[kOutput].peephole = optional_input(op, at.peepholes + 2);
  check();
}

void LstmCell::check() const {
  const Gate& input = gates_[kInput];
  const auto all_agree = [&](OptionalValue Gate::*operand, std::initializer_list<GateNumber> numbers) {
    return std::ranges::all_of(numbers, [&](GateNumber number) {
      const bool is_there = (gates_[number].*operand).has_value();
      const bool wanted = (gates_[kOutput].*operand).has_value();
      return is_there == (wanted && !(number == kInput && is_coupled()));
    });
  };
  if (input.weight.has_value() != input.recurrent.has_value() ||
      input.weight.has_value() != input.bias.has_value())
    return op_.fail(invalid("Some, but not all, operands of the input gate are present."));
  for (const GateNumber number : {kForget, kCell, kOutput}) {
    const Gate& gate = gates_[number];
    if (!gate.weight || !gate.recurrent || !gate.bias)
      return op_.fail(invalid("Gate ", int(number), " lacks an operand."));
  }
  if (!all_agree(&Gate::peephole, {kInput, kForget}))
    return op_.fail(invalid("Some, but not all, peephole weights are present."));
  if (!all_agree(&Gate::norm, {kInput, kForget, kCell}))
    return op_.fail(invalid("Some, but not all, norm weights are present."));
  if (projection_bias_ && !projection_)
    return op_.fail(invalid("The projection has a bias, but no weights."));
  for (const double clip : {cell_clip_, projection_clip_}) {
    if (!(clip >= 0)) return op_.fail(invalid("A clip (", clip, ") is below 0."));
  }
}

// With layer norm, the bias is added after normalization.
LstmCell::Sums LstmCell::input_sums(const Value& x, const OptionalValue& auxiliary) const {
  GraphWriter& graph = op_.graph;
  Sums sums;
  for (size_t i = 0; i < gates_.size(); ++i) {
    const Gate& gate = gates_[i];
    if (!gate.weight) continue;
    Value sum = linear(graph, x, *gate.weight, gate.norm ? OptionalValue() : gate.bias);
    if (auxiliary && gate.auxiliary) sum = add(graph, sum, linear(graph, *auxiliary, *gate.auxiliary));
    sums.gates[i] = std::move(sum);
  }
  return sums;
}

Value LstmCell::gate_sum(GateNumber number, const Value& x, const State& before, const Value& peeped) const {
  GraphWriter& graph = op_.graph;
  const Gate& gate = gates_[number];
  if (!gate.recurrent) return x;  // refused by check()
  Value sum = add(graph, x, linear(graph, before.output, *gate.recurrent));
  if (gate.peephole) sum = add(graph, sum, mul(graph, peeped, *gate.peephole));
  if (!gate.norm || !gate.bias) return sum;
  return graph.emit(Op::layer_norm, {sum, *gate.norm, *gate.bias},
                    {{Attr::begin_norm_axis, 1}, {Attr::epsilon, kSmallestVariance}});
}

Value LstmCell::activated(const Value& value) const {
  GraphWriter& graph = op_.graph;
  switch (activation_) {
    case 0: return value;
    case 1: return graph.emit(Op::relu, {value});
    case 3: return graph.emit(Op::relu6, {value});
    case 4: return graph.emit(Op::tanh, {value});
    case 6: return sigmoid(graph, value);
    default: op_.fail(invalid("Activation (", activation_, ") is not 0, 1, 3, 4 or 6.")); return value;
  }
}

Value LstmCell::clipped(const Value& value, double clip) const {
  return clip > 0 ? clamp(op_.graph, value, -clip, clip) : value;
}

LstmCell::State LstmCell::step(const Sums& sums, int64_t step, int64_t batch, const State& before) const {
  GraphWriter& graph = op_.graph;
  const auto sum = [&](GateNumber number, const Value& peeped) {
    return gate_sum(number, rows_of(graph, sums.gates[number].value_or(before.cell), step, batch), before,
                    peeped);
  };
  const Value forget = sigmoid(graph, sum(kForget, before.cell));
  const Value input =
      is_coupled() ? add(graph, mul(graph, forget, -1), 1) : sigmoid(graph, sum(kInput, before.cell));
  const Value candidate = activated(sum(kCell, before.cell));
  Value cell = add(graph, mul(graph, forget, before.cell), mul(graph, input, candidate));
  cell = clipped(cell, cell_clip_);
  const Value gate = sigmoid(graph, sum(kOutput, cell));
  Value output = mul(graph, gate, activated(cell));
  if (projection_) output = clipped(linear(graph, output, *projection_, projection_bias_), projection_clip_);
  return {output, cell};
}

bool LstmCell::is_plain() const {
  constexpr int64_t kTanh = 4;
  const bool has_extras = projection_ || activation_ != kTanh || projection_clip_ > 0;
  return !has_extras && std::ranges::all_of(gates_, [](const Gate& gate) {
    return gate.weight && gate.recurrent && gate.bias && !gate.peephole && !gate.norm && !gate.auxiliary;
  });
}

std::optional<SequenceResult> LstmCell::layer(const Value& rows, const Sequence& sequence,
                                              const State& before) const {
  if (!is_plain() || sequence.backward) return {};
  GraphWriter& graph = op_.graph;
  std::vector<Value> weights, recurrent, biases;
  for (const GateNumber number : {kInput, kOutput, kForget, kCell}) {
    weights.push_back(*gates_[number].weight);
    recurrent.push_back(*gates_[number].recurrent);
    biases.push_back(*gates_[number].bias);
  }
  const int64_t all = 4 * units(), length = rows.dim(1);
  biases.push_back(zeros(graph, {all}));  // NNAPI has one bias, the core has one per product
  const auto joined = [&](const std::vector<Value>& parts, const Shape& shape) {
    return reshape(graph, concat(graph, parts, 0), shape);
  };
  const Shape state{1, sequence.batch, units()}, last{sequence.batch, units()};
  const std::vector<Value> results = graph.emit_all(
      Op::lstm,
      {reshape(graph, rows, {sequence.steps, sequence.batch, length}), joined(weights, {1, all, length}),
       joined(recurrent, {1, all, units()}), joined(biases, {1, 2 * all}),
       reshape(graph, before.output, state), reshape(graph, before.cell, state)},
      {{Attr::has_bias, 1}, {Attr::cell_clip, cell_clip_}}, {{DType::f32}, {DType::f32}, {DType::f32}});
  return SequenceResult{results[0], {reshape(graph, results[1], last), reshape(graph, results[2], last)}};
}

Value joined_steps(GraphWriter& graph, const std::vector<Value>& steps) {
  constexpr size_t kMaxParts = 64;
  std::vector<Value> parts;
  parts.reserve(steps.size());
  for (const Value& step : steps) {
    parts.push_back(reshape(graph, step, {1, step.dim(0), step.dim(1)}));
  }
  while (parts.size() > 1) {
    std::vector<Value> joined;
    for (size_t i = 0; i < parts.size(); i += kMaxParts) {
      const size_t end = std::min(parts.size(), i + kMaxParts);
      joined.push_back(
          concat(graph, {parts.begin() + std::ptrdiff_t(i), parts.begin() + std::ptrdiff_t(end)}, 0));
    }
    parts = std::move(joined);
  }
  return parts[0];
}

SequenceResult run_cell(GraphWriter& graph, const LstmCell& cell, const Value& rows,
                        const OptionalValue& auxiliary, const Sequence& sequence, LstmCell::State state) {
  if (auto layer = cell.layer(rows, sequence, state)) return *std::move(layer);
  const LstmCell::Sums sums = cell.input_sums(rows, auxiliary);
  std::vector<Value> outputs(size_t(sequence.steps));
  for (int64_t i = 0; i < sequence.steps; ++i) {
    const int64_t step = sequence.backward ? sequence.steps - 1 - i : i;
    state = cell.step(sums, step, sequence.batch, state);
    outputs[size_t(step)] = state.output;
  }
  return {joined_steps(graph, outputs), state};
}

}  // namespace nnrt::nnapi
