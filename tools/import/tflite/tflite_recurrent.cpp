// Operators that keep state between runs. LSTM and RNN: sequences, and single steps of an RNN. SVDF: filters
// over the features of a step, and over a memory of their past results.
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <functional>
#include <span>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

struct Sequence {
  bool is_time_major = true, is_bidirectional = false, is_merged = false;

  int32_t directions() const { return is_bidirectional ? 2 : 1; }
  // One output per direction.
  bool is_split() const { return is_bidirectional && !is_merged; }
};

// [directions, batch, hidden]; the batch may be dynamic.
TensorId zero_state(Operator& op, TensorId x, int32_t directions, int32_t hidden) {
  NetworkBuilder& build = op.build();
  const int32_t batch = build.tensor(x).shape[1];
  if (batch > 0) return build.filled(DType::f32, {directions, batch, hidden}, 0);
  const TensorId known = op.slice(op.emit(Op::shape, {x}), 0, 1, 2);
  const TensorId dimensions =
      op.concat({build.vector<int32_t>({directions}), known, build.vector<int32_t>({hidden})}, 0);
  return op.emit(Op::fill, {build.scalar(0.0f), dimensions}, {}, {.shape = {directions, -1, hidden}});
}

// Exchanges the first two dimensions.
List<TensorId> exchange_operands(Operator& op, TensorId x) {
  return {x, op.build().vector<int32_t>({1, 0, 2})};
}

// Values of a constant, dequantized. `what` names it in errors: "weights of the input".
List<float> constant_floats(Operator& op, size_t i, std::string_view what) {
  const std::string operand = std::string(what) + " (input " + std::to_string(i) + ")";
  if (!op.has(i)) op.refuse("lacks " + operand);
  const auto values = op.build().floats(op.input(i), op.input_slot(i).quantized_dimension);
  if (!values) op.refuse("needs constant " + operand);
  return *values;
}

// The state of a hosted graph in input i, as FLOAT32.
TensorId state_floats(Operator& op, size_t i) {
  if (op.input_slot(i).next) op.refuse("shares its state with another operator");
  return op.build().dequantize(op.input(i));
}

// [batch, hidden] as [1, batch, hidden]
TensorId state_of_direction(Operator& op, size_t i) {
  const TensorId state = state_floats(op, i);
  if (op.rank(state) != 2) op.damaged("needs state of rank 2");
  return op.unsqueeze(state, {0});
}

// Emits an operation that writes the next state of input i.
void write_state(Operator& op, size_t i, Op type, List<TensorId> inputs, const Settings& settings = {}) {
  Tensor next = op.input_tensor(i);
  next.name += " after the run";
  const TensorId target = op.build().add(std::move(next));
  const TensorId from = op.build().float_target(target);
  op.build().operation(type, std::move(inputs), {from}, settings);
  op.build().store(from, target);
  op.set_next_state(i, target);
}

// The state [directions, batch, hidden] before x [steps, batch, width]. `inputs`: the operator's input of
// each direction, [batch, hidden]; starts with zeros where these keep no state.
TensorId initial_state(Operator& op, TensorId x, std::span<const size_t> inputs, int32_t hidden) {
  const auto directions = static_cast<int32_t>(inputs.size());
  if (std::ranges::none_of(inputs, [&](size_t i) { return op.keeps_state(i); }))
    return zero_state(op, x, directions, hidden);
  List<TensorId> states;
  for (const size_t i : inputs) {
    states.push_back(op.keeps_state(i) ? state_of_direction(op, i) : zero_state(op, x, 1, hidden));
  }
  return op.concat(states, 0);
}

// Keeps the state [directions, batch, hidden] for the next run.
void keep_state(Operator& op, std::span<const size_t> inputs, TensorId last) {
  if (std::ranges::none_of(inputs, [&](size_t i) { return op.keeps_state(i); })) return;
  List<TensorId> states{last};
  if (inputs.size() > 1) {
    Shape shape = op.build().tensor(last).shape;
    shape[0] = 1;
    for (TensorId& state : states = List<TensorId>(inputs.size()))
      state = op.build().temporary(OH_NN_FLOAT32, shape);
    op.build().operation(Op::split, {last}, states, {{Attr::axis, 0}});
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (op.keeps_state(inputs[i])) write_state(op, inputs[i], Op::squeeze, {states[i]}, {{Attr::axis, {0}}});
}

// Input 0 as [steps, batch, width].
TensorId sequence_operand(Operator& op, const Sequence& how) {
  const TensorId x = op.operand(0);
  if (op.rank(x) != 3) op.damaged("needs a sequence of rank 3");
  if (how.is_split() && op.output_count() != 2) op.damaged("needs two outputs");
  if (how.is_time_major) return x;
  return op.emit(Op::transpose, exchange_operands(op, x));
}

// Where to write the result [steps, batch, directions * hidden]; pass it to deliver().
TensorId sequence_result(Operator& op, TensorId x, const Sequence& how, int32_t hidden) {
  if (how.is_time_major && !how.is_split()) return op.result();
  const Shape sequence = op.build().tensor(x).shape;
  return op.build().temporary(OH_NN_FLOAT32, {sequence[0], sequence[1], how.directions() * hidden});
}

void deliver(Operator& op, TensorId result, const Sequence& how) {
  NetworkBuilder& build = op.build();
  const auto reordered = [&](TensorId from, TensorId to) {
    build.operation(Op::transpose, exchange_operands(op, from), {to});
  };
  if (!how.is_split()) {
    if (!how.is_time_major) reordered(result, op.result());
    return;
  }
  Shape shape = build.tensor(result).shape;
  shape[2] /= 2;
  List<TensorId> halves;
  for (size_t i = 0; i < 2; ++i)
    halves.push_back(how.is_time_major ? op.result(i) : build.temporary(OH_NN_FLOAT32, shape));
  build.operation(Op::split, {result}, halves, {{Attr::axis, 2}});
  if (how.is_time_major) return;
  for (size_t i = 0; i < 2; ++i) reordered(halves[i], op.result(i));
}

// Input numbers of one direction's operands: of the first gate, and of the states.
struct Direction {
  size_t input_weights, recurrent_weights, biases, hidden, cell;
};
constexpr Direction kLstm[] = {{1, 5, 12, 18, 19}};
constexpr Direction kBothLstm[] = {{1, 5, 12, 35, 36}, {18, 22, 29, 37, 38}};
constexpr Direction kRnn[] = {{1, 2, 3, 4, 0}};
constexpr Direction kBothRnn[] = {{1, 2, 3, 4, 0}, {5, 6, 7, 8, 0}};

// An LSTM has the order input, forget, cell, output in the file; input, output, forget, cell in OH_NN.
constexpr size_t kLstmGates[] = {0, 3, 1, 2}, kRnnGates[] = {0};

struct Layer {
  std::span<const Direction> directions;
  std::span<const size_t> gates;
  Settings settings{};

  // Of each direction: the hidden state, and the cell of an LSTM.
  List<List<size_t>> states() const {
    List<List<size_t>> inputs(gates.size() > 1 ? 2 : 1);
    for (const Direction& direction : directions) {
      inputs[0].push_back(direction.hidden);
      if (inputs.size() > 1) inputs[1].push_back(direction.cell);
    }
    return inputs;
  }
};

// All directions and gates in OH_NN's order.
struct Weights {
  List<float> input, recurrent, biases;
  int32_t width = 0, hidden = 0;
};

List<float> bias(Operator& op, size_t i, size_t weight) {
  if (!op.has(i)) op.refuse("lacks a bias (input ", i, ")");
  const auto values = op.build().floats(op.bias(i, 0, weight));
  if (!values) op.refuse("needs biases to be constants");
  return *values;
}

void append(Operator& op, const Direction& direction, std::span<const size_t> gates, Weights& weights) {
  const auto add = [](List<float>& all, const List<float>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  const size_t last = direction.input_weights + gates.size() - 1;
  if (!op.has(last)) op.damaged("lacks weights");
  const Shape shape = op.input_tensor(last).shape;
  if (shape.size() != 2) op.damaged("needs weights of rank 2");
  weights.hidden = shape[0];
  weights.width = shape[1];
  List<float> biases;
  for (const size_t gate : gates) {
    add(weights.input, constant_floats(op, direction.input_weights + gate, "weights of the input"));
    add(weights.recurrent, constant_floats(op, direction.recurrent_weights + gate, "recurrent weights"));
    add(biases, bias(op, direction.biases + gate, direction.input_weights + gate));
  }
  biases.resize(2 * biases.size(), 0);  // OH_NN has one per product
  add(weights.biases, biases);
}

Weights weights_of(Operator& op, const Layer& layer) {
  constexpr int32_t kMaxHidden = 1 << 24;
  Weights weights;
  for (const Direction& direction : layer.directions) append(op, direction, layer.gates, weights);
  if (weights.hidden < 1 || weights.hidden > kMaxHidden) op.damaged("has weights of an unknown size");
  return weights;
}

// Emits the layer over x [steps, batch, width].
void emit_layer(Operator& op, const Layer& layer, const Weights& weights, TensorId x, TensorId result) {
  NetworkBuilder& build = op.build();
  const auto directions = static_cast<int32_t>(layer.directions.size());
  const int32_t hidden = weights.hidden, rows = hidden * static_cast<int32_t>(layer.gates.size());
  const auto constant = [&](const List<float>& values, const Shape& shape) {
    if (required(element_count(shape)) != values.size()) op.damaged("has weights of different sizes");
    return build.constant(shape, std::span<const float>(values));
  };
  List<TensorId> operands{x, constant(weights.input, {directions, rows, weights.width}),
                          constant(weights.recurrent, {directions, rows, hidden}),
                          constant(weights.biases, {directions, 2 * rows})};
  List<TensorId> results{result};
  const List<List<size_t>> states = layer.states();
  for (const List<size_t>& inputs : states) {
    operands.push_back(initial_state(op, x, inputs, hidden));
    results.push_back(build.temporary(OH_NN_FLOAT32, {directions, build.tensor(x).shape[1], hidden}));
  }
  build.operation(op.row().type, std::move(operands), results, layer.settings);
  for (size_t i = 0; i < states.size(); ++i) keep_state(op, states[i], results[i + 1]);
}

void emit_sequence(Operator& op, const Layer& layer, const Sequence& how) {
  const Weights weights = weights_of(op, layer);
  const TensorId x = sequence_operand(op, how);
  const TensorId result = sequence_result(op, x, how, weights.hidden);
  emit_layer(op, layer, weights, x, result);
  deliver(op, result, how);
}

void refuse_inputs(const Operator& op, size_t begin, size_t end, std::string_view what) {
  for (size_t i = begin; i < end; ++i)
    if (op.has(i)) op.refuse(what);
}

void lstm(Operator& op, Activation activation, float cell_clip, const Sequence& how) {
  if (activation != Activation::TANH) op.refuse("has an activation other than TANH");
  constexpr size_t kBackward = 17;  // behind the same operand forward
  for (size_t first = 0; first < kBackward * static_cast<size_t>(how.directions()); first += kBackward) {
    refuse_inputs(op, first + 9, first + 12, "has peepholes, which OH_NN cannot express");
    refuse_inputs(op, first + 16, first + 18, "has a projection, which OH_NN cannot express");
  }
  emit_sequence(
      op,
      {how.is_bidirectional ? std::span<const Direction>(kBothLstm) : kLstm,
       kLstmGates,
       {{Attr::bidirectional, how.is_bidirectional}, {Attr::has_bias, true}, {Attr::cell_clip, cell_clip}}},
      how);
}

void read_lstm(Operator& op) {
  const auto& options = op.options<format::UnidirectionalSequenceLSTMOptions>();
  if (options.proj_clip() != 0 || options.diagonal_recurrent_tensors())
    op.refuse("has a projection or diagonal weights, which OH_NN cannot express");
  refuse_inputs(op, 20, 24, "uses layer normalization, which OH_NN's LSTM lacks");
  lstm(op, options.activation(), options.cell_clip(), {options.time_major(), false, false});
}

void read_both_lstm(Operator& op) {
  const auto& options = op.options<format::BidirectionalSequenceLSTMOptions>();
  refuse_inputs(op, 39, op.input_count(), "has auxiliary inputs, which OH_NN cannot express");
  lstm(op, options.activation(), options.cell_clip(), {options.time_major(), true, options.merge_outputs()});
}

Layer rnn(const Operator& op, Activation activation, bool is_bidirectional) {
  if (activation != Activation::TANH && activation != Activation::RELU)
    op.refuse("has an activation other than TANH or RELU");
  const Settings settings{{Attr::mode, activation == Activation::RELU},
                          {Attr::direction, is_bidirectional ? 2 : 0}};
  return {is_bidirectional ? std::span<const Direction>(kBothRnn) : kRnn, kRnnGates, settings};
}

void read_rnn(Operator& op) {
  const auto& options = op.options<format::SequenceRNNOptions>();
  emit_sequence(op, rnn(op, options.activation(), false), {options.time_major(), false, false});
}

void read_both_rnn(Operator& op) {
  const auto& options = op.options<format::BidirectionalSequenceRNNOptions>();
  refuse_inputs(op, 9, op.input_count(), "has auxiliary inputs, which OH_NN cannot express");
  emit_sequence(op, rnn(op, options.activation(), true),
                {options.time_major(), true, options.merge_outputs()});
}

// A sequence of one step.
void read_rnn_step(Operator& op) {
  const Layer layer = rnn(op, op.options<format::RNNOptions>().activation(), false);
  const Weights weights = weights_of(op, layer);
  const TensorId row = op.operand(0);
  const Shape shape = op.build().tensor(row).shape;
  if (shape.size() != 2) op.damaged("needs an input of rank 2");
  const TensorId x = op.unsqueeze(row, {0});
  const TensorId result = op.build().temporary(OH_NN_FLOAT32, {1, shape[0], weights.hidden});
  emit_layer(op, layer, weights, x, result);
  op.write(Op::squeeze, {result}, {{Attr::axis, {0}}});
}

// The operands of the file's operator, which has `count`.
Numbers32 written_operands(NodeWriter& node, const Layer& layer, size_t count) {
  for (size_t i = 0; i < layer.states().size(); ++i)
    if (!node.is_zero(4 + i) || node.is_read(1 + i)) node.refuse("a state that is given or read");
  const size_t gates = layer.gates.size();
  const auto width = static_cast<size_t>(node.input_shape(1)[2]),
             hidden = static_cast<size_t>(node.input_shape(2)[2]);
  const auto columns = static_cast<int64_t>(width), units = static_cast<int64_t>(hidden);
  const List<float> input = node.reals(1), recurrent = node.reals(2), biases = node.reals(3);
  const auto part = [](const List<float>& all, size_t number, size_t size) {
    return all.from(number * size).before(size);
  };
  Numbers32 operands(count, -1);
  operands[0] = node.inputs[0];
  for (size_t direction = 0; direction < layer.directions.size(); ++direction) {
    const Direction& to = layer.directions[direction];
    for (size_t i = 0; i < gates; ++i) {
      const size_t gate = direction * gates + i, first = gate + direction * gates;
      List<float> sums = part(biases, first, hidden);
      const List<float> others = part(biases, first + gates, hidden);
      std::ranges::transform(sums, others, sums.begin(), std::plus());
      const size_t place = layer.gates[i];
      operands[to.input_weights + place] = node.floats({units, columns}, part(input, gate, hidden * width));
      operands[to.recurrent_weights + place] =
          node.floats({units, units}, part(recurrent, gate, hidden * hidden));
      operands[to.biases + place] = node.floats({units}, sums);
    }
  }
  for (const List<size_t>& inputs : layer.states())
    for (const size_t state : inputs) operands[state] = node.state({node.input_shape()[1], units});
  return operands;
}

// The result has one direction beside the other.
template <typename Options>
void write_layer(NodeWriter& node, BuiltinOperator code, Options options, const Layer& layer, size_t count) {
  options.time_major = true;
  if constexpr (requires { options.merge_outputs; }) options.merge_outputs = true;
  node.write(code, options, written_operands(node, layer, count), {node.outputs[0]});
}

template <typename Options>
Options lstm_options(NodeWriter& node) {
  Options options;
  options.activation = Activation::TANH;
  options.cell_clip = node.has(Attr::cell_clip) ? static_cast<float>(node.real(Attr::cell_clip)) : 0;
  return options;
}

void write_lstm(NodeWriter& node) {
  if (!node.flag(Attr::has_bias)) node.refuse("absent biases");
  if (node.flag(Attr::bidirectional))
    return write_layer(node, BIDIRECTIONAL_SEQUENCE_LSTM,
                       lstm_options<format::BidirectionalSequenceLSTMOptionsT>(node), {kBothLstm, kLstmGates},
                       48);
  write_layer(node, UNIDIRECTIONAL_SEQUENCE_LSTM,
              lstm_options<format::UnidirectionalSequenceLSTMOptionsT>(node), {kLstm, kLstmGates}, 24);
}

template <typename Options>
Options rnn_options(NodeWriter& node) {
  Options options;
  options.activation = node.integer(Attr::mode) == 0 ? Activation::TANH : Activation::RELU;
  return options;
}

void write_rnn(NodeWriter& node) {
  enum Walk : int64_t { forward, reverse, both };
  const int64_t walk = node.integer(Attr::direction);
  if (walk == reverse) node.refuse("a walk from the last step");
  if (walk == both)
    return write_layer(node, BIDIRECTIONAL_SEQUENCE_RNN,
                       rnn_options<format::BidirectionalSequenceRNNOptionsT>(node), {kBothRnn, kRnnGates},
                       12);
  write_layer(node, UNIDIRECTIONAL_SEQUENCE_RNN, rnn_options<format::SequenceRNNOptionsT>(node),
              {kRnn, kRnnGates}, 5);
}

constexpr size_t kFeatureWeights = 1, kTimeWeights = 2, kBias = 3, kMemory = 4;

// A unit sums `rank` filters.
struct Filters {
  int32_t count = 0, features = 0, units = 0, rank = 0, steps = 0;
  List<float> weights;  // [count, features]
  List<float> time;     // [count, steps], the newest step last

  // The time weight of each filter's newest result.
  List<float> newest() const {
    List<float> weights_of_last;
    const auto each = static_cast<size_t>(steps);
    for (size_t i = each - 1; i < time.size(); i += each) weights_of_last.push_back(time[i]);
    return weights_of_last;
  }
};

Filters filters_of(Operator& op) {
  const Shape features = op.input_tensor(kFeatureWeights).shape, time = op.input_tensor(kTimeWeights).shape;
  const int32_t rank = op.options<format::SVDFOptions>().rank();
  if (features.size() != 2 || time.size() != 2 || features[0] != time[0] || features[0] < 1 ||
      features[1] < 1 || time[1] < 1 || rank < 1 || features[0] % rank != 0)
    op.damaged("has filters with mismatched shapes");
  Filters filters{features[0], features[1], features[0] / rank, rank, time[1], {}, {}};
  filters.weights = constant_floats(op, kFeatureWeights, "feature weights");
  filters.time = constant_floats(op, kTimeWeights, "time weights");
  return filters;
}

// A quantized bias is in units of the memory's scale times the time weights' scale.
List<float> bias_values(Operator& op, const Filters& filters) {
  List<float> bias(static_cast<size_t>(filters.units), 0);
  if (!op.has(kBias)) return bias;
  if (op.input_tensor(kBias).type != OH_NN_INT32) {
    bias = constant_floats(op, kBias, "biases");
  } else {
    const Quantization memory = op.input_tensor(kMemory).quantization,
                       time = op.input_tensor(kTimeWeights).quantization;
    const List<int64_t> values = op.integers(kBias);
    if (memory.empty() || time.empty()) op.damaged("has a quantized bias but float operands");
    bias.clear();
    for (const int64_t value : values)
      bias.push_back(static_cast<float>(memory.scales[0] * time.scales[0] * static_cast<double>(value)));
  }
  if (bias.size() != static_cast<size_t>(filters.units)) op.damaged("has a bias of the wrong size");
  return bias;
}

// Feature weights per unit, if the memory starts as zeros and only its newest results count.
List<float> unit_weights(const Filters& filters) {
  const auto features = static_cast<size_t>(filters.features), rank = static_cast<size_t>(filters.rank);
  const List<float> newest = filters.newest();
  List<float> sums(static_cast<size_t>(filters.units) * features, 0);
  for (size_t filter = 0; filter < newest.size(); ++filter)
    for (size_t i = 0; i < features; ++i)
      sums[filter / rank * features + i] += newest[filter] * filters.weights[filter * features + i];
  return sums;
}

// Filter results, rounded and saturated like a memory of 16 or 8 bits.
TensorId stored(Operator& op, TensorId x, const Tensor& memory) {
  if (memory.quantization.empty()) return x;
  const double scale = memory.quantization.scales[0];
  const float zero = static_cast<float>(memory.quantization.zero_points[0]);
  const float half = memory.type == OH_NN_INT16 ? 32768 : 128;
  const TensorId steps = op.emit(Op::round, {op.mul(x, static_cast<float>(1 / scale))});
  return op.mul(op.clip(steps, -half - zero, half - 1 - zero), static_cast<float>(scale));
}

// The memory [batch, count, steps] with the results [batch, count] in place of the oldest ones, kept for the
// next run.
TensorId remembered(Operator& op, const Filters& filters, TensorId results) {
  const Shape shape = op.input_tensor(kMemory).shape;
  if (shape.size() != 2 || shape[1] != filters.count * filters.steps)
    op.damaged("has a memory of the wrong size");
  TensorId memory = op.reshape(results, {-1, filters.count, 1});
  const TensorId before = state_floats(op, kMemory);
  if (filters.steps > 1) {
    const TensorId all = op.reshape(before, {-1, filters.count, filters.steps});
    memory = op.concat({op.slice(all, 2, 1, filters.steps), memory}, 2);
  }
  write_state(op, kMemory, Op::reshape,
              {memory, op.build().vector<int64_t>({-1, filters.count * filters.steps})});
  return memory;
}

// Sums x, which holds `each` values per filter, weighted over the filters of a unit: [batch, units].
TensorId unit_sums(Operator& op, const Filters& filters, TensorId x, const List<float>& weights,
                   int32_t each) {
  const int32_t length = filters.rank * each;
  if (length == 1) return op.mul(x, op.build().vector(weights));
  const TensorId weighted =
      op.mul(op.reshape(x, {-1, filters.units, length}),
             op.build().constant<float>({filters.units, length}, std::span<const float>(weights)));
  return op.reshape(op.sum(weighted, {2}), {-1, filters.units});
}

void svdf(Operator& op) {
  const Filters filters = filters_of(op);
  const List<float> bias = bias_values(op, filters);
  NetworkBuilder& build = op.build();
  const TensorId x = op.operand(0), offset = build.vector(bias), target = op.result();
  const Activation activation = op.options<format::SVDFOptions>().activation();
  const TensorId sum = activation == Activation::NONE ? target : build.temporary_like(target);
  const Tensor memory = op.input_tensor(kMemory);
  if (memory.quantization.empty() && !op.keeps_state(kMemory)) {
    const Shape shape{filters.units, filters.features};
    op.write_to(sum, Op::full_connection, {x, build.constant<float>(shape, unit_weights(filters)), offset});
  } else {
    const TensorId weights = build.constant<float>({filters.count, filters.features}, filters.weights);
    const TensorId results = stored(op, op.emit(Op::full_connection, {x, weights}), memory);
    const TensorId units = op.keeps_state(kMemory) ? unit_sums(op, filters, remembered(op, filters, results),
                                                               filters.time, filters.steps)
                                                   : unit_sums(op, filters, results, filters.newest(), 1);
    op.write_to(sum, Op::add, {units, offset});
  }
  if (activation != Activation::NONE) op.activate(activation, sum, target);
}

constexpr Row kRecurrentRows[] = {
    {UNIDIRECTIONAL_SEQUENCE_LSTM, 1, 24, Numbers::real, read_lstm, Op::lstm, write_lstm},
    {BIDIRECTIONAL_SEQUENCE_LSTM, 1, 48, Numbers::real, read_both_lstm, Op::lstm},
    {RNN, 5, 5, Numbers::real, read_rnn_step, Op::rnn},
    {UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, Numbers::real, read_rnn, Op::rnn, write_rnn},
    {BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, Numbers::real, read_both_rnn, Op::rnn},
    {SVDF, 5, 5, Numbers::real, svdf, Op::full_connection},
};

}  // namespace

std::span<const Row> recurrent_rows() { return kRecurrentRows; }

}  // namespace nnrt::import::tflite
