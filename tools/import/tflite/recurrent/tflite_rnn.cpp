// RNN and its sequences.
#include "tools/import/tflite/recurrent/tflite_state.h"
#include "tools/import/tflite/tflite_node_writer.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <array>
#include <functional>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

constexpr size_t kCellInputs = 4;  // of a direction: two weights, a bias and a state
constexpr std::array<size_t, 2> kStates{4, 8};

int8_t rnn_activation(const Operator& op, Activation activation) {
  if (activation == Activation::TANH) return int8_t{0};
  if (activation == Activation::RELU) return int8_t{1};
  op.refuse("has an activation other than TANH or RELU");
}

// Both directions, in OH_NN's order.
struct Cells {
  List<float> input_weights, recurrent_weights, biases;
  int32_t width = 0, hidden = 0;
};

void append(Operator& op, size_t first, Cells& cells) {
  const auto add = [](List<float>& all, const List<float>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  const Shape shape = op.has(first) ? op.input_tensor(first).shape : Shape();
  if (shape.size() != 2) op.damaged("needs weights of rank 2");
  const bool is_first = cells.hidden == 0;
  const auto inner = constant_floats(op, first, "weights of the input");
  const auto outer = constant_floats(op, first + 1, "recurrent weights");
  List<float> biases = constant_floats(op, first + 2, "biases");
  const auto units = static_cast<size_t>(std::max(shape[0], 0)),
             each = static_cast<size_t>(std::max(shape[1], 0));
  const bool is_alike = is_first || (shape[0] == cells.hidden && shape[1] == cells.width);
  if (units == 0 || !is_alike || inner.size() != units * each || outer.size() != units * units ||
      biases.size() != units)
    op.damaged("has weights of different sizes");
  cells.hidden = shape[0];
  cells.width = shape[1];
  biases.resize(2 * units);  // OH_NN has one per product
  add(cells.input_weights, inner);
  add(cells.recurrent_weights, outer);
  add(cells.biases, biases);
}

struct Layer {
  int32_t directions;
  int8_t activation;
};

// Emits the layer over x [steps, batch, width].
void emit_layer(Operator& op, TensorId x, const Cells& cells, const Layer& layer, TensorId result) {
  NetworkBuilder& build = op.build();
  const int32_t directions = layer.directions, hidden = cells.hidden;
  const std::span states(kStates.data(), static_cast<size_t>(directions));
  const TensorId state = initial_state(op, x, states, hidden);
  const auto constant = [&](const Shape& shape, const List<float>& values) {
    return build.constant(shape, std::span<const float>(values));
  };
  const TensorId last = build.temporary(OH_NN_FLOAT32, {directions, build.tensor(x).shape[1], hidden});
  Settings settings{{Attr::mode, layer.activation}};
  if (directions == 2) settings.push_back({Attr::direction, 2});
  build.operation(op.row().type,
                  {x, constant({directions, hidden, cells.width}, cells.input_weights),
                   constant({directions, hidden, hidden}, cells.recurrent_weights),
                   constant({directions, 2 * hidden}, cells.biases), state},
                  {result, last}, settings);
  keep_state(op, states, last);
}

void emit_sequence(Operator& op, const Sequence& how, Activation activation) {
  Layer layer{how.directions(), 0};
  layer.activation = rnn_activation(op, activation);
  Cells cells;
  for (int32_t i = 0; i < layer.directions; ++i) append(op, 1 + kCellInputs * static_cast<size_t>(i), cells);
  const TensorId x = sequence_operand(op, how);
  const TensorId result = sequence_result(op, x, how, cells.hidden);
  emit_layer(op, x, cells, layer, result);
  deliver(op, result, how);
}

void read_one_direction(Operator& op) {
  const auto& options = op.options<format::SequenceRNNOptions>();
  return emit_sequence(op, {options.time_major(), false, false}, options.activation());
}

void read_two_directions(Operator& op) {
  const auto& options = op.options<format::BidirectionalSequenceRNNOptions>();
  for (size_t i = 9; i < op.input_count(); ++i)
    if (op.has(i)) op.refuse("has auxiliary inputs, which OH_NN cannot express");
  return emit_sequence(op, {options.time_major(), true, options.merge_outputs()}, options.activation());
}

// A sequence of one step.
void step(Operator& op) {
  Layer layer{1, 0};
  layer.activation = rnn_activation(op, op.options<format::RNNOptions>().activation());
  Cells cells;
  append(op, 1, cells);
  const TensorId row = op.operand(0);
  const Shape shape = op.build().tensor(row).shape;
  if (shape.size() != 2) op.damaged("needs an input of rank 2");
  const TensorId x = op.unsqueeze(row, {0});
  const TensorId result = op.build().temporary(OH_NN_FLOAT32, {1, shape[0], cells.hidden});
  emit_layer(op, x, cells, layer, result);
  op.write(Op::squeeze, {result}, {{Attr::axis, {0}}});
}

// The result has one direction beside the other.
void write_rnn(NodeWriter& node) {
  enum Direction : int64_t { forward, reverse, both };
  const int64_t direction = node.integer(Attr::direction);
  if (direction == reverse) node.refuse("a walk from the last step");
  if (!node.is_zero(4) || node.is_read(1)) node.refuse("a state that is given or read");
  const Activation activation = node.integer(Attr::mode) == 0 ? Activation::TANH : Activation::RELU;
  const auto width = static_cast<size_t>(node.input_shape(1)[2]),
             hidden = static_cast<size_t>(node.input_shape(2)[2]);
  const auto columns = static_cast<int64_t>(width), units = static_cast<int64_t>(hidden);
  const List<float> input_weights = node.reals(1);
  const List<float> recurrent_weights = node.reals(2);
  const List<float> biases = node.reals(3);
  const auto part = [](const List<float>& all, size_t number, size_t size) {
    return all.from(number * size).before(size);
  };
  Numbers32 operands{node.inputs[0]};
  for (size_t i = 0; i < (direction == both ? 2 : 1); ++i) {
    List<float> sums = part(biases, 2 * i, hidden);
    const List<float> recurrent = part(biases, 2 * i + 1, hidden);
    std::ranges::transform(sums, recurrent, sums.begin(), std::plus());
    operands.push_back(node.floats({units, columns}, part(input_weights, i, hidden * width)));
    operands.push_back(node.floats({units, units}, part(recurrent_weights, i, hidden * hidden)));
    operands.push_back(node.floats({units}, sums));
    operands.push_back(node.state({node.input_shape()[1], units}));
  }
  if (direction == both) {
    operands.insert(operands.end(), 3, -1);  // no auxiliary input
    format::BidirectionalSequenceRNNOptionsT options;
    options.activation = activation;
    options.time_major = options.merge_outputs = true;
    node.write(BIDIRECTIONAL_SEQUENCE_RNN, options, operands, {node.outputs[0]});
    return;
  }
  format::SequenceRNNOptionsT options;
  options.activation = activation;
  options.time_major = true;
  node.write(UNIDIRECTIONAL_SEQUENCE_RNN, options, operands, {node.outputs[0]});
}

constexpr auto kRnn = Op::rnn;
constexpr Row kRnnRows[] = {
    {RNN, 5, 5, Numbers::real, step, kRnn},
    {UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, Numbers::real, read_one_direction, kRnn, write_rnn},
    {BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, Numbers::real, read_two_directions, kRnn},
};

}  // namespace

std::span<const Row> rnn_rows() { return kRnnRows; }

}  // namespace nnrt::import::tflite
