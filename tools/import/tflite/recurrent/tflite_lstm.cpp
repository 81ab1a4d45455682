// LSTM sequences.
#include "tools/import/tflite/recurrent/tflite_state.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <array>
#include <functional>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

// Input numbers of one direction's operands.
struct Direction {
  size_t input_weights, recurrent_weights, peepholes, biases, projections;
};
constexpr Direction kForward{1, 5, 9, 12, 16};
constexpr Direction kBackward{18, 22, 26, 29, 33};

// Gate order: input, forget, cell, output in the file; input, output, forget, cell in OH_NN.
constexpr std::array<size_t, 4> kGates{0, 3, 1, 2};

struct Gates {
  List<float> input_weights, recurrent_weights, biases;
  int32_t input_size = 0, hidden_size = 0;
};

List<float> bias(Operator& op, size_t i, size_t weight) {
  if (!op.has(i)) op.refuse("lacks a bias (input ", i, ")");
  const TensorId bias = op.bias(i, 0, weight);
  const auto values = op.build().floats(bias);
  if (!values) op.refuse("needs biases to be constants");
  return *values;
}

void append(Operator& op, const Direction& direction, Gates& gates) {
  for (size_t i = 0; i < 3; ++i)
    if (op.has(direction.peepholes + i)) op.refuse("has peepholes, which OH_NN cannot express");
  for (size_t i = 0; i < 2; ++i)
    if (op.has(direction.projections + i)) op.refuse("has a projection, which OH_NN cannot express");
  const auto add = [](List<float>& all, const List<float>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  const size_t last = direction.input_weights + kGates[1];
  if (!op.has(last)) op.damaged("lacks weights");
  const Shape shape = op.input_tensor(last).shape;
  if (shape.size() != 2) op.damaged("needs weights of rank 2");
  gates.hidden_size = shape[0];
  gates.input_size = shape[1];
  List<float> biases;
  for (const size_t gate : kGates) {
    const auto inner = constant_floats(op, direction.input_weights + gate, "weights of the input");
    const auto outer = constant_floats(op, direction.recurrent_weights + gate, "recurrent weights");
    const auto offset = bias(op, direction.biases + gate, direction.input_weights + gate);
    add(gates.input_weights, inner);
    add(gates.recurrent_weights, outer);
    add(biases, offset);
  }
  add(gates.biases, biases);
  add(gates.biases, List<float>(biases.size(), 0));  // one bias per gate, not two
}

// Inputs that hold a state, by direction.
using States = std::span<const size_t>;
struct StateInputs {
  States hidden, cell;
};
constexpr size_t kOneHidden[] = {18}, kOneCell[] = {19}, kBothHidden[] = {35, 37}, kBothCell[] = {36, 38};

// Weights, biases and states in OH_NN's order, after the sequence x [steps, batch, width].
List<TensorId> operands_after(Operator& op, TensorId x, const Gates& gates, const StateInputs& states) {
  constexpr int32_t kMaxHidden = 1 << 24;
  const int32_t hidden = gates.hidden_size;
  const auto directions = static_cast<int32_t>(states.hidden.size());
  if (hidden < 1 || hidden > kMaxHidden) op.damaged("has weights of an unknown size");
  const auto constant = [&](const List<float>& values, const Shape& shape) {
    if (required(element_count(shape)) != values.size()) op.damaged("has weights of different sizes");
    return op.build().constant(shape, std::span<const float>(values));
  };
  const TensorId input = constant(gates.input_weights, {directions, 4 * hidden, gates.input_size});
  const TensorId recurrent = constant(gates.recurrent_weights, {directions, 4 * hidden, hidden});
  const TensorId biases = constant(gates.biases, {directions, 8 * hidden});
  const TensorId state = initial_state(op, x, states.hidden, hidden);
  const TensorId cell = initial_state(op, x, states.cell, hidden);
  return {input, recurrent, biases, state, cell};
}

void lstm(Operator& op, const Sequence& how, float cell_clip) {
  NetworkBuilder& build = op.build();
  const StateInputs inputs =
      how.is_bidirectional ? StateInputs{kBothHidden, kBothCell} : StateInputs{kOneHidden, kOneCell};
  Gates gates;
  append(op, kForward, gates);
  if (how.is_bidirectional) append(op, kBackward, gates);
  const TensorId x = sequence_operand(op, how);
  List<TensorId> operands = operands_after(op, x, gates, inputs);
  operands.insert(operands.begin(), x);

  const Shape last{how.directions(), build.tensor(x).shape[1], gates.hidden_size};
  const TensorId result = sequence_result(op, x, how, gates.hidden_size);
  const TensorId state = build.temporary(OH_NN_FLOAT32, last), cell = build.temporary(OH_NN_FLOAT32, last);
  build.operation(
      op.row().type, std::move(operands), {result, state, cell},
      {{Attr::bidirectional, how.is_bidirectional}, {Attr::has_bias, true}, {Attr::cell_clip, cell_clip}});
  deliver(op, result, how);
  keep_state(op, inputs.hidden, state);
  keep_state(op, inputs.cell, cell);
}

void read_one_direction(Operator& op) {
  const auto& options = op.options<format::UnidirectionalSequenceLSTMOptions>();
  if (options.activation() != Activation::TANH) op.refuse("has an activation other than TANH");
  if (options.proj_clip() != 0 || options.diagonal_recurrent_tensors())
    op.refuse("has a projection or diagonal weights, which OH_NN cannot express");
  for (size_t i = 20; i < 24; ++i)
    if (op.has(i)) op.refuse("uses layer normalization, which OH_NN's LSTM lacks");
  return lstm(op, {options.time_major(), false, false}, options.cell_clip());
}

void read_two_directions(Operator& op) {
  const auto& options = op.options<format::BidirectionalSequenceLSTMOptions>();
  if (options.activation() != Activation::TANH) op.refuse("has an activation other than TANH");
  for (size_t i = 39; i < op.input_count(); ++i)
    if (op.has(i)) op.refuse("has auxiliary inputs, which OH_NN cannot express");
  return lstm(op, {options.time_major(), true, options.merge_outputs()}, options.cell_clip());
}

// The result has one direction beside the other.
void write_lstm(NodeWriter& node) {
  const bool is_bidirectional = node.flag(Attr::bidirectional);
  if (!node.flag(Attr::has_bias)) node.refuse("absent biases");
  if (!node.is_zero(4) || !node.is_zero(5) || node.is_read(1) || node.is_read(2))
    node.refuse("a state that is given or read");
  const auto width = static_cast<size_t>(node.input_shape(1)[2]),
             hidden = static_cast<size_t>(node.input_shape(2)[2]);
  const auto columns = static_cast<int64_t>(width), units = static_cast<int64_t>(hidden);
  const List<float> input_weights = node.reals(1);
  const List<float> recurrent_weights = node.reals(2);
  const List<float> biases = node.reals(3);
  Numbers32 operands(is_bidirectional ? 48 : 24, -1);
  operands[0] = node.inputs[0];
  const auto write_direction = [&](size_t direction, const Direction& to, const StateInputs& states) {
    for (size_t i = 0; i < kGates.size(); ++i) {
      const size_t gate = direction * kGates.size() + i, bias = gate + direction * kGates.size();
      const auto part = [](const List<float>& all, size_t number, size_t size) {
        return all.from(number * size).before(size);
      };
      List<float> sums = part(biases, bias, hidden);
      const List<float> recurrent = part(biases, bias + kGates.size(), hidden);
      std::ranges::transform(sums, recurrent, sums.begin(), std::plus());
      operands[to.input_weights + kGates[i]] =
          node.floats({units, columns}, part(input_weights, gate, hidden * width));
      operands[to.recurrent_weights + kGates[i]] =
          node.floats({units, units}, part(recurrent_weights, gate, hidden * hidden));
      operands[to.biases + kGates[i]] = node.floats({units}, sums);
    }
    operands[states.hidden[direction]] = node.state({node.input_shape()[1], units});
    operands[states.cell[direction]] = node.state({node.input_shape()[1], units});
  };
  const float clip = node.has(Attr::cell_clip) ? static_cast<float>(node.real(Attr::cell_clip)) : 0;
  if (!is_bidirectional) {
    write_direction(0, kForward, {kOneHidden, kOneCell});
    format::UnidirectionalSequenceLSTMOptionsT options;
    options.activation = Activation::TANH;
    options.cell_clip = clip;
    options.time_major = true;
    node.write(UNIDIRECTIONAL_SEQUENCE_LSTM, options, operands, {node.outputs[0]});
    return;
  }
  write_direction(0, kForward, {kBothHidden, kBothCell});
  write_direction(1, kBackward, {kBothHidden, kBothCell});
  format::BidirectionalSequenceLSTMOptionsT options;
  options.activation = Activation::TANH;
  options.cell_clip = clip;
  options.time_major = options.merge_outputs = true;
  node.write(BIDIRECTIONAL_SEQUENCE_LSTM, options, operands, {node.outputs[0]});
}

constexpr Row kLstmRows[] = {
    {UNIDIRECTIONAL_SEQUENCE_LSTM, 1, 24, Numbers::real, read_one_direction, Op::lstm, write_lstm},
    {BIDIRECTIONAL_SEQUENCE_LSTM, 1, 48, Numbers::real, read_two_directions, Op::lstm},
};

}  // namespace

std::span<const Row> lstm_rows() { return kLstmRows; }

}  // namespace nnrt::import::tflite
