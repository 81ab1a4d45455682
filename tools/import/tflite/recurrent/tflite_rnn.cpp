// RNN and its sequences.
#include "tools/import/tflite/recurrent/tflite_state.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <array>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

constexpr size_t kCellInputs = 4;  // of a direction: two weights, a bias and a state
constexpr std::array<size_t, 2> kStates{4, 8};

Result<int8_t> rnn_activation(const Operator& op, Activation activation) {
  if (activation == Activation::TANH) return int8_t{0};
  if (activation == Activation::RELU) return int8_t{1};
  return op.refuse("has an activation other than TANH or RELU");
}

// Both directions, in OH_NN's order.
struct Cells {
  List<float> input_weights, recurrent_weights, biases;
  int32_t width = 0, hidden = 0;
};

Status append(Operator& op, size_t first, Cells& cells) {
  const auto add = [](List<float>& all, const List<float>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  const Shape shape = op.has(first) ? op.input_tensor(first).shape : Shape();
  if (shape.size() != 2) return op.damaged("needs weights of rank 2");
  const bool is_first = cells.hidden == 0;
  NNRT_ASSIGN(const auto inner, constant_floats(op, first, "weights of the input"));
  NNRT_ASSIGN(const auto outer, constant_floats(op, first + 1, "recurrent weights"));
  NNRT_ASSIGN(List<float> biases, constant_floats(op, first + 2, "biases"));
  const auto units = static_cast<size_t>(std::max(shape[0], 0)),
             each = static_cast<size_t>(std::max(shape[1], 0));
  const bool is_alike = is_first || (shape[0] == cells.hidden && shape[1] == cells.width);
  if (units == 0 || !is_alike || inner.size() != units * each || outer.size() != units * units ||
      biases.size() != units)
    return op.damaged("has weights of different sizes");
  cells.hidden = shape[0];
  cells.width = shape[1];
  biases.resize(2 * units);  // OH_NN has one per product
  add(cells.input_weights, inner);
  add(cells.recurrent_weights, outer);
  add(cells.biases, biases);
  return {};
}

struct Layer {
  int32_t directions;
  int8_t activation;
};

// Emits the layer over x [steps, batch, width].
Status emit_layer(Operator& op, TensorId x, const Cells& cells, const Layer& layer, TensorId result) {
  NetworkBuilder& build = op.build();
  const int32_t directions = layer.directions, hidden = cells.hidden;
  const std::span states(kStates.data(), static_cast<size_t>(directions));
  NNRT_ASSIGN(const TensorId state, initial_state(op, x, states, hidden));
  const auto constant = [&](const Shape& shape, const List<float>& values) {
    return build.constant(shape, std::span<const float>(values));
  };
  const TensorId last = build.temporary(OH_NN_FLOAT32, {directions, build.tensor(x).shape[1], hidden});
  std::vector<Parameter> parameters{int8_parameter(extension(OH_NN_RNN_ACTIVATION_TYPE), layer.activation)};
  if (directions == 2) parameters.push_back(int8_parameter(extension(OH_NN_RNN_DIRECTION), 2));
  build.operation(op.row().type,
                  {x, constant({directions, hidden, cells.width}, cells.input_weights),
                   constant({directions, hidden, hidden}, cells.recurrent_weights),
                   constant({directions, 2 * hidden}, cells.biases), state},
                  {result, last}, std::move(parameters));
  keep_state(op, states, last);
  return {};
}

Status emit_sequence(Operator& op, const Sequence& how, Activation activation) {
  Layer layer{how.directions(), 0};
  NNRT_ASSIGN(layer.activation, rnn_activation(op, activation));
  Cells cells;
  for (int32_t i = 0; i < layer.directions; ++i)
    NNRT_TRY(append(op, 1 + kCellInputs * static_cast<size_t>(i), cells));
  NNRT_ASSIGN(const TensorId x, sequence_operand(op, how));
  const TensorId result = sequence_result(op, x, how, cells.hidden);
  NNRT_TRY(emit_layer(op, x, cells, layer, result));
  deliver(op, result, how);
  return {};
}

Status unidirectional(Operator& op) {
  const auto& options = op.options<format::SequenceRNNOptions>();
  return emit_sequence(op, {options.time_major(), false, false}, options.activation());
}

Status bidirectional(Operator& op) {
  const auto& options = op.options<format::BidirectionalSequenceRNNOptions>();
  for (size_t i = 9; i < op.input_count(); ++i)
    if (op.has(i)) return op.refuse("has auxiliary inputs, which OH_NN cannot express");
  return emit_sequence(op, {options.time_major(), true, options.merge_outputs()}, options.activation());
}

// A sequence of one step.
Status step(Operator& op) {
  Layer layer{1, 0};
  NNRT_ASSIGN(layer.activation, rnn_activation(op, op.options<format::RNNOptions>().activation()));
  Cells cells;
  NNRT_TRY(append(op, 1, cells));
  NNRT_ASSIGN(const TensorId row, op.operand(0));
  const Shape shape = op.build().tensor(row).shape;
  if (shape.size() != 2) return op.damaged("needs an input of rank 2");
  const TensorId x = op.build().derive(OH_NN_OPS_UNSQUEEZE, {row}, OH_NN_FLOAT32, {1, shape[0], shape[1]},
                                       {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {0})});
  const TensorId result = op.build().temporary(OH_NN_FLOAT32, {1, shape[0], cells.hidden});
  NNRT_TRY(emit_layer(op, x, cells, layer, result));
  op.emit(OH_NN_OPS_SQUEEZE, {result}, {int64s_parameter(OH_NN_SQUEEZE_AXIS, {0})});
  return {};
}

constexpr auto kRnn = static_cast<OH_NN_OperationType>(OH_NN_OPS_RNN);
constexpr Row kRnnRows[] = {
    {RNN, 5, 5, Numbers::real, step, kRnn},
    {UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, Numbers::real, unidirectional, kRnn},
    {BIDIRECTIONAL_SEQUENCE_RNN, 9, 12, Numbers::real, bidirectional, kRnn},
};

}  // namespace

std::span<const Row> rnn_rows() { return kRnnRows; }

}  // namespace nnrt::import::tflite
