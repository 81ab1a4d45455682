// LSTM and RNN: sequences, and single steps of an RNN.
#include "tools/import/tflite/recurrent/tflite_state.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <functional>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

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

constexpr Row kRecurrentRows[] = {
    {UNIDIRECTIONAL_SEQUENCE_LSTM, 1, 24, Numbers::real, read_lstm, Op::lstm, write_lstm},
    {BIDIRECTIONAL_SEQUENCE_LSTM, 1, 48, Numbers::real, read_both_lstm, Op::lstm},
    {RNN, 5, 5, Numbers::real, read_rnn_step, Op::rnn},
    {UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, Numbers::real, read_rnn, Op::rnn, write_rnn},
    {BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, Numbers::real, read_both_rnn, Op::rnn},
};

}  // namespace

std::span<const Row> recurrent_rows() { return kRecurrentRows; }

}  // namespace nnrt::import::tflite
