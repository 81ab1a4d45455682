// Recurrent operators: LSTM and RNN.
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <array>

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
  std::vector<float> input_weights, recurrent_weights, biases;
  int32_t input_size = 0, hidden_size = 0;
};

Result<std::vector<float>> weights(Operator& op, size_t i, const char* what) {
  if (!op.has(i)) return op.refuse("lacks " + std::string(what) + " (input " + std::to_string(i) + ")");
  const auto values = op.build().floats(op.input(i), op.input_slot(i).quantized_dimension);
  if (!values) return op.refuse("needs " + std::string(what) + " to be constants");
  return *values;
}

Result<std::vector<float>> bias(Operator& op, size_t i, size_t weight) {
  if (!op.has(i)) return op.refuse("lacks a bias (input " + std::to_string(i) + ")");
  NNRT_ASSIGN(const TensorId bias, op.bias(i, 0, weight));
  const auto values = op.build().floats(bias);
  if (!values) return op.refuse("needs biases to be constants");
  return *values;
}

Status append(Operator& op, const Direction& direction, Gates& gates) {
  for (size_t i = 0; i < 3; ++i)
    if (op.has(direction.peepholes + i)) return op.refuse("has peepholes, which OH_NN cannot express");
  for (size_t i = 0; i < 2; ++i)
    if (op.has(direction.projections + i)) return op.refuse("has a projection, which OH_NN cannot express");
  const auto add = [](std::vector<float>& all, const std::vector<float>& some) {
    all.insert(all.end(), some.begin(), some.end());
  };
  const size_t last = direction.input_weights + kGates[1];
  if (!op.has(last)) return op.damaged("lacks weights");
  const Shape shape = op.input_tensor(last).shape;
  if (shape.size() != 2) return op.damaged("needs weights of rank 2");
  gates.hidden_size = shape[0];
  gates.input_size = shape[1];
  std::vector<float> biases;
  for (const size_t gate : kGates) {
    NNRT_ASSIGN(const auto inner, weights(op, direction.input_weights + gate, "weights of the input"));
    NNRT_ASSIGN(const auto outer, weights(op, direction.recurrent_weights + gate, "recurrent weights"));
    NNRT_ASSIGN(const auto offset, bias(op, direction.biases + gate, direction.input_weights + gate));
    add(gates.input_weights, inner);
    add(gates.recurrent_weights, outer);
    add(biases, offset);
  }
  add(gates.biases, biases);
  add(gates.biases, std::vector<float>(biases.size(), 0));  // one bias per gate, not two
  return {};
}

// [directions, batch, hidden]; the batch may be dynamic.
Result<TensorId> zero_state(Operator& op, TensorId x, int32_t directions, int32_t hidden) {
  NetworkBuilder& build = op.build();
  const int32_t batch = build.tensor(x).shape[1];
  if (batch > 0) return build.filled({directions, batch, hidden}, 0);
  const TensorId shape = build.derive(OH_NN_OPS_SHAPE, {x}, OH_NN_INT32, {3});
  const TensorId known = build.derive(
      OH_NN_OPS_SLICE, {shape, build.vector<int32_t>({1}), build.vector<int32_t>({1})}, OH_NN_INT32, {1});
  const TensorId dimensions = build.derive(
      OH_NN_OPS_CONCAT, {build.vector<int32_t>({directions}), known, build.vector<int32_t>({hidden})},
      OH_NN_INT32, {3});
  return build.derive(OH_NN_OPS_FILL, {build.scalar(0.0f), dimensions}, OH_NN_FLOAT32,
                      {directions, -1, hidden});
}

constexpr size_t kHiddenState = 18, kCellState = 19;  // inputs of UNIDIRECTIONAL_SEQUENCE_LSTM

// State [batch, hidden] as [1, batch, hidden], or zeros.
Result<TensorId> initial_state(Operator& op, TensorId x, size_t i, int32_t directions, int32_t hidden) {
  if (directions > 1 || !op.keeps_state(i)) return zero_state(op, x, directions, hidden);
  if (op.input_slot(i).next) return op.refuse("shares its state with another operator");
  NNRT_ASSIGN(const TensorId state, op.build().dequantize(op.input(i)));
  const Shape shape = op.input_tensor(i).shape;
  if (shape.size() != 2) return op.damaged("needs state of rank 2");
  return op.build().derive(OH_NN_OPS_UNSQUEEZE, {state}, OH_NN_FLOAT32, {1, shape[0], shape[1]},
                           {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {0})});
}

// Stores the last state [1, batch, hidden].
void keep_state(Operator& op, size_t i, TensorId last) {
  if (!op.keeps_state(i)) return;
  Tensor next = op.input_tensor(i);
  next.name += " after the run";
  const TensorId target = op.build().add(std::move(next));
  const TensorId from = op.build().float_target(target);
  op.build().operation(OH_NN_OPS_SQUEEZE, {last}, {from}, {int64s_parameter(OH_NN_SQUEEZE_AXIS, {0})});
  op.build().store(from, target);
  op.set_next_state(i, target);
}

TensorId exchanged(Operator& op, TensorId x) {
  const Tensor from = op.build().tensor(x);
  Shape shape = from.shape;
  std::swap(shape[0], shape[1]);
  return op.build().derive(OH_NN_OPS_TRANSPOSE, {x, op.build().vector<int32_t>({1, 0, 2})}, from.type, shape);
}

struct Sequence {
  bool is_time_major, is_bidirectional, is_merged;
};

// Distributes the result [steps, batch, directions * hidden] to the outputs.
void deliver(Operator& op, TensorId result, const Sequence& how) {
  NetworkBuilder& build = op.build();
  const auto ordered = [&](TensorId id, TensorId target) {
    if (how.is_time_major) return;
    build.operation(OH_NN_OPS_TRANSPOSE, {id, build.vector<int32_t>({1, 0, 2})}, {target});
  };
  if (!how.is_bidirectional || how.is_merged) return ordered(result, op.result());
  Shape shape = build.tensor(result).shape;
  shape[2] /= 2;
  std::vector<TensorId> per_direction;
  for (size_t i = 0; i < 2; ++i)
    per_direction.push_back(how.is_time_major ? op.result(i) : build.temporary(OH_NN_FLOAT32, shape));
  build.operation(OH_NN_OPS_SPLIT, {result}, per_direction, {int64_parameter(OH_NN_SPLIT_AXIS, 2)});
  for (size_t i = 0; i < 2; ++i) ordered(per_direction[i], op.result(i));
}

// Weights, biases and states in OH_NN's order, after the sequence x [steps, batch, width].
Result<std::vector<TensorId>> operands_after(Operator& op, TensorId x, const Gates& gates,
                                             int32_t directions) {
  constexpr int32_t kMaxHidden = 1 << 24;
  const int32_t hidden = gates.hidden_size;
  if (hidden < 1 || hidden > kMaxHidden) return op.damaged("has weights of an unknown size");
  const auto constant = [&](const std::vector<float>& values, const Shape& shape) -> Result<TensorId> {
    NNRT_ASSIGN(const size_t count, element_count(shape));
    if (count != values.size()) return op.damaged("has weights of different sizes");
    return op.build().constant(shape, std::span<const float>(values));
  };
  NNRT_ASSIGN(const TensorId input,
              constant(gates.input_weights, {directions, 4 * hidden, gates.input_size}));
  NNRT_ASSIGN(const TensorId recurrent, constant(gates.recurrent_weights, {directions, 4 * hidden, hidden}));
  NNRT_ASSIGN(const TensorId biases, constant(gates.biases, {directions, 8 * hidden}));
  NNRT_ASSIGN(const TensorId state, initial_state(op, x, kHiddenState, directions, hidden));
  NNRT_ASSIGN(const TensorId cell, initial_state(op, x, kCellState, directions, hidden));
  return std::vector<TensorId>{input, recurrent, biases, state, cell};
}

Status lstm(Operator& op, const Sequence& how) {
  NetworkBuilder& build = op.build();
  const int32_t directions = how.is_bidirectional ? 2 : 1;
  const bool is_split = how.is_bidirectional && !how.is_merged;
  if (is_split && op.output_count() != 2) return op.damaged("needs two outputs");
  Gates gates;
  NNRT_TRY(append(op, kForward, gates));
  if (how.is_bidirectional) NNRT_TRY(append(op, kBackward, gates));
  NNRT_ASSIGN(TensorId x, op.operand(0));
  if (build.tensor(x).shape.size() != 3) return op.damaged("needs a sequence of rank 3");
  if (!how.is_time_major) x = exchanged(op, x);
  NNRT_ASSIGN(std::vector<TensorId> operands, operands_after(op, x, gates, directions));
  operands.insert(operands.begin(), x);

  const Shape sequence = build.tensor(x).shape;
  const Shape all{sequence[0], sequence[1], directions * gates.hidden_size};
  const Shape last{directions, sequence[1], gates.hidden_size};
  const bool is_direct = how.is_time_major && !is_split;
  const TensorId result = is_direct ? op.result() : build.temporary(OH_NN_FLOAT32, all);
  const TensorId state = build.temporary(OH_NN_FLOAT32, last), cell = build.temporary(OH_NN_FLOAT32, last);
  build.operation(op.row().type, std::move(operands), {result, state, cell},
                  {bool_parameter(OH_NN_LSTM_BIDIRECTIONAL, how.is_bidirectional),
                   bool_parameter(OH_NN_LSTM_HAS_BIAS, true)});
  if (!is_direct) deliver(op, result, how);
  if (how.is_bidirectional) return {};
  keep_state(op, kHiddenState, state);
  keep_state(op, kCellState, cell);
  return {};
}

Result<int8_t> rnn_activation(const Operator& op, Activation activation) {
  if (activation == Activation::TANH) return int8_t{0};
  if (activation == Activation::RELU) return int8_t{1};
  return op.refuse("has an activation other than TANH or RELU");
}

// The layer over x [steps, batch, width], returning [steps, batch, hidden], which may be the operator's
// result.
Result<TensorId> rnn(Operator& op, TensorId x, Activation activation, bool is_result) {
  NetworkBuilder& build = op.build();
  NNRT_ASSIGN(const int8_t how, rnn_activation(op, activation));
  if (!op.has(1) || op.input_tensor(1).shape.size() != 2) return op.damaged("needs weights of rank 2");
  const int32_t hidden = op.input_tensor(1).shape[0], width = op.input_tensor(1).shape[1];
  NNRT_ASSIGN(const auto inner, weights(op, 1, "weights of the input"));
  NNRT_ASSIGN(const auto outer, weights(op, 2, "recurrent weights"));
  NNRT_ASSIGN(std::vector<float> biases, bias(op, 3, 1));
  const auto units = static_cast<size_t>(std::max(hidden, 0)), each = static_cast<size_t>(std::max(width, 0));
  if (units == 0 || inner.size() != units * each || outer.size() != units * units || biases.size() != units)
    return op.damaged("has weights of different sizes");
  biases.resize(2 * units);  // OH_NN has one per product
  NNRT_ASSIGN(const TensorId state, zero_state(op, x, 1, hidden));
  const auto constant = [&](const Shape& shape, const std::vector<float>& values) {
    return build.constant(shape, std::span<const float>(values));
  };
  const Shape sequence = build.tensor(x).shape;
  const TensorId result =
      is_result ? op.result() : build.temporary(OH_NN_FLOAT32, {sequence[0], sequence[1], hidden});
  build.operation(op.row().type,
                  {x, constant({1, hidden, width}, inner), constant({1, hidden, hidden}, outer),
                   constant({1, 2 * hidden}, biases), state},
                  {result, build.temporary(OH_NN_FLOAT32, {1, sequence[1], hidden})},
                  {int8_parameter(extension(OH_NN_RNN_ACTIVATION_TYPE), how)});
  return result;
}

Status sequence_rnn(Operator& op) {
  const auto& options = op.options<format::SequenceRNNOptions>();
  NNRT_ASSIGN(TensorId x, op.operand(0));
  if (op.build().tensor(x).shape.size() != 3) return op.damaged("needs a sequence of rank 3");
  if (!options.time_major()) x = exchanged(op, x);
  NNRT_ASSIGN(const TensorId result, rnn(op, x, options.activation(), options.time_major()));
  deliver(op, result, {options.time_major(), false, false});
  return {};
}

// A single step; the state stored in the file starts as zeros in each run.
Status rnn_step(Operator& op) {
  NNRT_ASSIGN(const TensorId row, op.operand(0));
  const Shape shape = op.build().tensor(row).shape;
  if (shape.size() != 2) return op.damaged("needs an input of rank 2");
  const TensorId x = op.build().derive(OH_NN_OPS_UNSQUEEZE, {row}, OH_NN_FLOAT32, {1, shape[0], shape[1]},
                                       {int64s_parameter(OH_NN_UNSQUEEZE_AXIS, {0})});
  NNRT_ASSIGN(const TensorId result, rnn(op, x, op.options<format::RNNOptions>().activation(), false));
  op.emit(OH_NN_OPS_SQUEEZE, {result}, {int64s_parameter(OH_NN_SQUEEZE_AXIS, {0})});
  return {};
}

// Keras always writes a cell clip of 10, which cells rarely reach; a tighter one would change results.
bool is_tight(float cell_clip) { return cell_clip > 0 && cell_clip < 10; }

Status unidirectional(Operator& op) {
  const auto& options = op.options<format::UnidirectionalSequenceLSTMOptions>();
  if (options.activation() != Activation::TANH) return op.refuse("has an activation other than TANH");
  if (is_tight(options.cell_clip())) return op.refuse("clips its cell below 10, which OH_NN cannot express");
  if (options.proj_clip() != 0 || options.diagonal_recurrent_tensors())
    return op.refuse("has a projection or diagonal weights, which OH_NN cannot express");
  for (size_t i = 20; i < 24; ++i)
    if (op.has(i)) return op.refuse("uses layer normalization, which OH_NN's LSTM lacks");
  return lstm(op, {options.time_major(), false, false});
}

Status bidirectional(Operator& op) {
  const auto& options = op.options<format::BidirectionalSequenceLSTMOptions>();
  if (options.activation() != Activation::TANH) return op.refuse("has an activation other than TANH");
  if (is_tight(options.cell_clip())) return op.refuse("clips its cell below 10, which OH_NN cannot express");
  for (size_t i = 39; i < op.input_count(); ++i)
    if (op.has(i)) return op.refuse("has auxiliary inputs, which OH_NN cannot express");
  return lstm(op, {options.time_major(), true, options.merge_outputs()});
}

constexpr Row kSequenceRows[] = {
    {UNIDIRECTIONAL_SEQUENCE_LSTM, 1, 24, Numbers::real, unidirectional, OH_NN_OPS_LSTM},
    {UNIDIRECTIONAL_SEQUENCE_RNN, 5, 5, Numbers::real, sequence_rnn,
     static_cast<OH_NN_OperationType>(OH_NN_OPS_RNN)},
    {RNN, 5, 5, Numbers::real, rnn_step, static_cast<OH_NN_OperationType>(OH_NN_OPS_RNN)},
    {BIDIRECTIONAL_SEQUENCE_LSTM, 1, 48, Numbers::real, bidirectional, OH_NN_OPS_LSTM},
};

}  // namespace

std::span<const Row> sequence_rows() { return kSequenceRows; }

}  // namespace nnrt::import::tflite
