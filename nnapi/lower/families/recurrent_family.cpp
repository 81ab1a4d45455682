// Recurrent operations: LSTMs with all NNAPI features, simple cells and SVDF; single steps, sequences, and
// both directions; integer LSTMs.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"

#include <android/NeuralNetworks.h>

#include <algorithm>
#include <array>
#include <optional>

namespace nnrt::nnapi {
namespace {

using OptionalValue = std::optional<Value>;

// The value in float32; empty if the operand is omitted.
OptionalValue optional_input(Lowering& op, size_t i) {
  if (!op.has(i)) return {};
  return cast(op.graph, op.in(i), DType::f32);
}

// x W^T (+ bias).
Value linear(GraphWriter& graph, const Value& x, const Value& weight, const OptionalValue& bias = {}) {
  std::vector<Value> inputs{x, weight};
  if (bias) inputs.push_back(*bias);
  return graph.emit(Op::full_connection, inputs);
}

Value zeros(GraphWriter& graph, const Shape& shape) {
  const auto count = size_t(element_count(shape).value_or(1));
  return graph.constant(DType::f32, shape, std::make_shared<const Bytes>(count * sizeof(float)));
}

// The steps of a sequence, in either direction.
struct Sequence {
  int64_t steps, batch;
  bool backward = false;
};

// The rows of one step.
Value rows_of(GraphWriter& graph, const Value& all, int64_t step, int64_t batch) {
  return all.dim(0) == batch ? all : slice(graph, all, 0, step * batch, batch);
}

// Stacks the outputs of each step, [batch, units], to [steps, batch, units].
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

// The outputs of all steps, in the order of the sequence.
template <typename Step>
Value over_steps(GraphWriter& graph, const Sequence& sequence, const Step& output_of) {
  std::vector<Value> outputs(size_t(sequence.steps));
  for (int64_t i = 0; i < sequence.steps; ++i) {
    const int64_t step = sequence.backward ? sequence.steps - 1 - i : i;
    outputs[size_t(step)] = output_of(step);
  }
  return joined_steps(graph, outputs);
}

// Input indices of a cell's operands. Gates are in the order input, forget, cell, output.
struct LstmOperands {
  size_t weights, recurrent, peepholes, biases, projection, projection_bias, norms;
  std::optional<size_t> auxiliary;  // weights of the auxiliary input
};

struct SequenceResult;

class LstmCell {
 public:
  LstmCell(Lowering& op, const LstmOperands& at, size_t activation, size_t cell_clip, size_t projection_clip);

  struct State {
    Value output, cell;
  };
  // Input sums of each gate for all steps, [steps * batch, units] each.
  struct Sums {
    std::array<OptionalValue, 4> gates;
  };
  Sums input_sums(const Value& x, const OptionalValue& auxiliary) const;
  // `step` and `batch` select the rows of the sums.
  State step(const Sums& sums, int64_t step, int64_t batch, const State& before) const;

  // All steps as one core LSTM; empty if the cell has features that it lacks, or runs backward.
  std::optional<SequenceResult> layer(const Value& rows, const Sequence& sequence, const State& before) const;

  bool is_coupled() const { return !gates_[kInput].weight; }  // input gate = 1 - forget gate
  int64_t units() const { return gates_[kForget].weight ? gates_[kForget].weight->dim(0) : 1; }

 private:
  enum GateNumber : size_t { kInput, kForget, kCell, kOutput };
  struct Gate {
    OptionalValue weight, recurrent, peephole, bias, norm, auxiliary;
  };

  void check() const;
  bool is_plain() const;
  Value gate_sum(GateNumber number, const Value& x, const State& before, const Value& peeped) const;
  Value activated(const Value& value) const;
  Value clipped(const Value& value, double clip) const;

  Lowering& op_;
  std::array<Gate, 4> gates_;
  OptionalValue projection_, projection_bias_;
  int64_t activation_;
  double cell_clip_, projection_clip_;
};

struct SequenceResult {
  Value outputs;  // [steps, batch, units]
  LstmCell::State last;
};

constexpr double kSmallestVariance = 1e-8;

Value sigmoid(GraphWriter& graph, const Value& value) { return graph.emit(Op::sigmoid, {value}); }

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
    default: op_.fail(invalid("Activation (", activation_, ") is not 0, 1, 3, 4 or 6."));
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

// Runs all steps over the input rows, [steps * batch, length], and an optional auxiliary input.
SequenceResult run_cell(GraphWriter& graph, const LstmCell& cell, const Value& rows,
                        const OptionalValue& auxiliary, const Sequence& sequence, LstmCell::State state) {
  if (auto layer = cell.layer(rows, sequence, state)) return *std::move(layer);
  const LstmCell::Sums sums = cell.input_sums(rows, auxiliary);
  const Value outputs = over_steps(graph, sequence, [&](int64_t step) {
    return (state = cell.step(sums, step, sequence.batch, state)).output;
  });
  return {outputs, state};
}

// Sets a result from float32; unrequested results are dropped.
void set_float(Lowering& op, size_t i, const Value& value) {
  if (i < op.output_count()) op.set(i, cast(op.graph, value, op.result_type(i).dtype));
}

// The rows of a sequence in time-major order, [count * batch, length], in float32.
struct Steps {
  Value rows;
  int64_t count = 1, batch = 1;
};
Steps steps_of(Lowering& op, size_t input, bool is_time_major) {
  Value x = cast(op.graph, op.in(input), DType::f32);
  if (x.rank() != 3) op.fail(invalid("The rank of a sequence (", x.rank(), ") is not 3."));
  if (!is_time_major) x = transpose(op.graph, x, {1, 0, 2});
  const int64_t count = x.dim(0), batch = x.dim(1);
  return {reshape(op.graph, x, {count * batch, x.dim(2)}), count, batch};
}

// Converts [steps, batch, units] to the client's order.
Value ordered(GraphWriter& graph, const Value& outputs, bool is_time_major) {
  return is_time_major ? outputs : transpose(graph, outputs, {1, 0, 2});
}

// The auxiliary input of both directions: with weights of its own it is added in both; otherwise it replaces
// the input of the backward direction.
struct Auxiliary {
  OptionalValue added, instead;
};
Auxiliary auxiliary_of(Lowering& op, size_t input, const std::vector<size_t>& weights, bool is_time_major) {
  if (!op.has(input)) return {};
  const Value rows = steps_of(op, input, is_time_major).rows;
  const bool has_weights = std::ranges::any_of(weights, [&](size_t i) { return op.has(i); });
  if (has_weights) return {.added = rows, .instead = {}};
  return {.added = {}, .instead = rows};
}

struct Directions {
  Value forward, backward;
};

// Sets the outputs of both directions, merged if requested, followed by the final states, if requested.
void set_directions(Lowering& op, const Directions& outputs, bool merges, const std::vector<Value>& states) {
  size_t next = 0;
  if (merges) {
    set_float(op, next++, concat(op.graph, {outputs.forward, outputs.backward}, 2));
  } else {
    set_float(op, next++, outputs.forward);
    set_float(op, next++, outputs.backward);
  }
  for (const Value& state : states) set_float(op, next++, state);
}

constexpr LstmOperands kForward{.weights = 1,
                                .recurrent = 5,
                                .peepholes = 9,
                                .biases = 12,
                                .projection = 16,
                                .projection_bias = 17,
                                .norms = 23,
                                .auxiliary = {}};

LstmCell::State state_of(Lowering& op, size_t output, size_t cell) {
  const auto state = [&](size_t i) { return cast(op.graph, op.in(i), DType::f32); };
  return {state(output), state(cell)};
}

void lower_lstm(Lowering& op) {
  GraphWriter& graph = op.graph;
  const LstmCell cell(op, kForward, 20, 21, 22);
  const Value x = cast(graph, op.in(0), DType::f32);
  const auto state = cell.step(cell.input_sums(x, {}), 0, x.dim(0), state_of(op, 18, 19));
  set_float(op, 0, zeros(graph, {x.dim(0), (cell.is_coupled() ? 3 : 4) * cell.units()}));
  set_float(op, 1, state.output);
  set_float(op, 2, state.cell);
  set_float(op, 3, reshape(graph, state.output, state.output.shape));
}

void lower_sequence_lstm(Lowering& op) {
  GraphWriter& graph = op.graph;
  LstmOperands at = kForward;
  at.norms = 24;
  const bool is_time_major = op.flag(23);
  const LstmCell cell(op, at, 20, 21, 22);
  const Steps steps = steps_of(op, 0, is_time_major);
  const auto result = run_cell(graph, cell, steps.rows, {}, {steps.count, steps.batch}, state_of(op, 18, 19));
  set_float(op, 0, ordered(graph, result.outputs, is_time_major));
  set_float(op, 1, result.last.output);
  set_float(op, 2, result.last.cell);
}

void lower_bidirectional_lstm(Lowering& op) {
  GraphWriter& graph = op.graph;
  const bool merges = op.flag(51), is_time_major = op.flag(52);
  LstmOperands forward = kForward, backward{.weights = 18,
                                            .recurrent = 22,
                                            .peepholes = 26,
                                            .biases = 29,
                                            .projection = 33,
                                            .projection_bias = 34,
                                            .norms = 57,
                                            .auxiliary = 44};
  forward.norms = 53;
  forward.auxiliary = 40;
  const Steps steps = steps_of(op, 0, is_time_major);
  const Auxiliary auxiliary = auxiliary_of(op, 39, {40, 41, 42, 43, 44, 45, 46, 47}, is_time_major);
  const LstmCell first(op, forward, 48, 49, 50), second(op, backward, 48, 49, 50);
  const Sequence walk{steps.count, steps.batch};
  const auto there = run_cell(graph, first, steps.rows, auxiliary.added, walk, state_of(op, 35, 36));
  const Value& second_rows = auxiliary.instead ? *auxiliary.instead : steps.rows;
  const auto back = run_cell(graph, second, second_rows, auxiliary.added, {walk.steps, walk.batch, true},
                             state_of(op, 37, 38));
  const Directions result{ordered(graph, there.outputs, is_time_major),
                          ordered(graph, back.outputs, is_time_major)};
  set_directions(op, result, merges, {there.last.output, there.last.cell, back.last.output, back.last.cell});
}

// Stands in for an omitted tensor.
Value placeholder(GraphWriter& graph, DType dtype) {
  const auto byte = std::make_shared<const Bytes>(size_of(dtype));
  return graph.constant(dtype, {1}, byte, {{1}, {0}});
}

void lower_quantized_lstm(Lowering& op) {
  constexpr size_t kTensors = 24;
  std::vector<Value> inputs;
  std::vector<int64_t> omitted;
  for (size_t i = 0; i < kTensors; ++i) {
    if (!op.has(i)) omitted.push_back(int64_t(i));
    inputs.push_back(op.has(i) ? op.in(i) : placeholder(op.graph, core_dtype(op.code(i))));
  }
  Settings settings{{Attr::cell_clip, op.real(24)},
                    {Attr::proj_clip, op.real(25)},
                    {Attr::gate_scales, std::vector{op.real(26), op.real(27), op.real(28), op.real(29)}},
                    {Attr::hidden_zero_point, op.integer(30)},
                    {Attr::hidden_scale, op.real(31)}};
  if (!omitted.empty()) settings.push_back({Attr::omitted, omitted});
  std::vector<Value> results = op.graph.emit_all(Op::quantized_lstm, inputs, settings,
                                                 {op.result_type(0), op.result_type(1), op.result_type(2)});
  for (size_t i = 0; i < results.size(); ++i) op.set(i, std::move(results[i]));
}

void lower_quantized_16bit_lstm(Lowering& op) {
  std::vector<Value> inputs;
  for (size_t i = 0; i < op.input_count(); ++i) inputs.push_back(op.in(i));
  std::vector<Value> results =
      op.graph.emit_all(Op::quantized_16bit_lstm, inputs, {}, {op.result_type(0), op.result_type(1)});
  for (size_t i = 0; i < results.size(); ++i) op.set(i, std::move(results[i]));
}

struct RnnWeights {
  Value input, recurrent, bias;
};

Value float_input(Lowering& op, size_t i) { return cast(op.graph, op.in(i), DType::f32); }

RnnWeights weights_of(Lowering& op, size_t first) {
  return {float_input(op, first), float_input(op, first + 1), float_input(op, first + 2)};
}

struct RnnRun {
  Value outputs;  // [steps, batch, units]
  Value last;
};

// `sums`: W x + b for all steps.
RnnRun run(Lowering& op, const Value& sums, const RnnWeights& weights, const Sequence& sequence, Value state,
           int64_t fuse_code) {
  GraphWriter& graph = op.graph;
  const Value outputs = over_steps(graph, sequence, [&](int64_t step) {
    const Value rows = rows_of(graph, sums, step, sequence.batch);
    return state = with_activation(op, add(graph, rows, linear(graph, state, weights.recurrent)), fuse_code);
  });
  return {outputs, state};
}

void lower_rnn(Lowering& op) {
  GraphWriter& graph = op.graph;
  const RnnWeights weights = weights_of(op, 1);
  const Value x = float_input(op, 0);
  const Value sums = linear(graph, x, weights.input, weights.bias);
  const RnnRun result = run(op, sums, weights, {1, x.dim(0)}, float_input(op, 4), op.integer(5));
  set_float(op, 0, result.last);
  set_float(op, 1, reshape(graph, result.outputs, result.last.shape));
}

void lower_sequence_rnn(Lowering& op) {
  const int64_t layout = op.integer(6);
  if (layout != 0 && layout != 1) op.fail(invalid("Time major (", layout, ") is neither 0 nor 1."));
  const bool is_time_major = layout == 1;
  const RnnWeights weights = weights_of(op, 1);
  const Steps steps = steps_of(op, 0, is_time_major);
  const Value sums = linear(op.graph, steps.rows, weights.input, weights.bias);
  const RnnRun result = run(op, sums, weights, {steps.count, steps.batch}, float_input(op, 4), op.integer(5));
  set_float(op, 0, ordered(op.graph, result.outputs, is_time_major));
  set_float(op, 1, result.last);
}

void lower_bidirectional_rnn(Lowering& op) {
  GraphWriter& graph = op.graph;
  const int64_t fuse_code = op.integer(12);
  const bool is_time_major = op.flag(13), merges = op.flag(14);
  const Steps steps = steps_of(op, 0, is_time_major);
  const Auxiliary auxiliary = auxiliary_of(op, 9, {10, 11}, is_time_major);
  const auto direction = [&](size_t first, size_t auxiliary_weight, bool backward) {
    const RnnWeights weights = weights_of(op, first);
    const Value& rows = backward && auxiliary.instead ? *auxiliary.instead : steps.rows;
    Value sums = linear(graph, rows, weights.input, weights.bias);
    if (auxiliary.added && op.has(auxiliary_weight))
      sums = add(graph, sums, linear(graph, *auxiliary.added, float_input(op, auxiliary_weight)));
    return run(op, sums, weights, {steps.count, steps.batch, backward}, float_input(op, first + 3),
               fuse_code);
  };
  const RnnRun there = direction(1, 10, false), back = direction(5, 11, true);
  const Directions result{ordered(graph, there.outputs, is_time_major),
                          ordered(graph, back.outputs, is_time_major)};
  set_directions(op, result, merges, {there.last, back.last});
}

// Each filter keeps its feature's values of the last steps, weighted by time.
void lower_svdf(Lowering& op) {
  GraphWriter& graph = op.graph;
  const Value x = float_input(op, 0), features = float_input(op, 1), times = float_input(op, 2);
  const OptionalValue bias = optional_input(op, 3);
  const int64_t rank = op.integer(5);
  const int64_t batch = x.dim(0), filters = features.dim(0), memory = times.dim(1);
  if (rank < 1 || filters % rank != 0)
    return op.fail(invalid("The rank (", rank, ") does not divide the filters (", filters, ")."));
  const Value state = reshape(graph, float_input(op, 4), {batch, filters, memory});
  Value newest = reshape(graph, linear(graph, x, features), {batch, filters, 1});
  if (memory > 1) newest = concat(graph, {slice(graph, state, 2, 0, memory - 1), newest}, 2);
  const Value weighed = mul(graph, newest, times);
  const Value units = reshape(graph, weighed, {batch, filters / rank, rank * memory});
  Value output = graph.emit(Op::reduce_sum, {units, graph.integers({2})});
  if (bias) output = add(graph, output, *bias);
  set_float(op, 1, with_activation(op, output, op.integer(6)));
  Value shifted = zeros(graph, {batch, filters, 1});
  if (memory > 1) shifted = concat(graph, {slice(graph, newest, 2, 1, memory - 1), shifted}, 2);
  set_float(op, 0, reshape(graph, shifted, {batch, filters * memory}));
}

constexpr LoweringRow kRecurrentLowerings[] = {
    {ANEURALNETWORKS_LSTM, lower_lstm},
    {ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, lower_sequence_lstm},
    {ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM, lower_bidirectional_lstm},
    {ANEURALNETWORKS_QUANTIZED_LSTM, lower_quantized_lstm},
    {ANEURALNETWORKS_QUANTIZED_16BIT_LSTM, lower_quantized_16bit_lstm},
    {ANEURALNETWORKS_RNN, lower_rnn},
    {ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN, lower_sequence_rnn},
    {ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN, lower_bidirectional_rnn},
    {ANEURALNETWORKS_SVDF, lower_svdf},
};

}  // namespace

std::span<const LoweringRow> recurrent_lowerings() { return kRecurrentLowerings; }

}  // namespace nnrt::nnapi
