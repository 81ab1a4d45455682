// Operators with special conversions: LSTM and detection.
#include "tools/import/network/parameters.h"
#include "tools/import/nnapi/nnapi_operation.h"

#include <cstring>

namespace nnrt::import {
namespace {

using Operands = std::vector<OperandId>;

// Gate order: OH_NN has input, output, forget, cell; NNAPI has input, forget, cell, output.
constexpr size_t kGates[] = {0, 2, 3, 1};
constexpr int32_t kTanh = 4;  // activation code
constexpr int32_t kMaxHidden = 1 << 24;

// OH_NN's weights, with all gates in one constant.
struct LstmWeights {
  size_t hidden = 0, inputs = 0, directions = 1;
};

// `count` rows of `width` values from row `row` of a FLOAT32 constant.
OperandId rows_of(NnapiOperation& op, size_t input, size_t row, size_t count, size_t width, Shape shape) {
  Tensor part = op.input_tensor(input);
  const std::byte* const begin = part.data->data() + row * width * sizeof(float);
  part.data = std::make_shared<const Bytes>(begin, begin + count * width * sizeof(float));
  part.shape = std::move(shape);
  return op.writer.constant(part);
}

// The sum of OH_NN's two biases (input and state).
OperandId bias_of(NnapiOperation& op, size_t direction, size_t gate, size_t hidden) {
  const Tensor& biases = op.input_tensor(3);
  std::vector<float> sums(hidden, 0);
  for (size_t half = 0; half < 2 && op.number(OH_NN_LSTM_HAS_BIAS, 0) != 0; ++half) {
    for (size_t i = 0; i < hidden; ++i) {
      float value = 0;
      const size_t index = direction * 8 * hidden + half * 4 * hidden + gate * hidden + i;
      std::memcpy(&value, biases.data->data() + index * sizeof value, sizeof value);
      sums[i] += value;
    }
  }
  Tensor bias = biases;
  bias.shape = {static_cast<int32_t>(hidden)};
  const auto bytes = std::as_bytes(std::span(sums));
  bias.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  return op.writer.constant(bias);
}

// Operands 1 to 17 of a direction: gate weights, peepholes, biases, projection.
void append_weights(NnapiOperation& op, Operands& operands, const LstmWeights& of, size_t direction) {
  const auto hidden = static_cast<int32_t>(of.hidden), inputs = static_cast<int32_t>(of.inputs);
  const OperandId none = op.writer.omitted(op.input_tensor(1));
  for (const size_t gate : kGates)
    operands.push_back(
        rows_of(op, 1, (direction * 4 + gate) * of.hidden, of.hidden, of.inputs, {hidden, inputs}));
  for (const size_t gate : kGates)
    operands.push_back(
        rows_of(op, 2, (direction * 4 + gate) * of.hidden, of.hidden, of.hidden, {hidden, hidden}));
  operands.insert(operands.end(), 3, none);
  for (const size_t gate : kGates) operands.push_back(bias_of(op, direction, gate, of.hidden));
  operands.insert(operands.end(), 2, none);
}

// The initial state of a direction, [batch, hidden].
OperandId state_of(NnapiOperation& op, size_t input, const LstmWeights& of, size_t direction) {
  const Tensor& state = op.input_tensor(input);
  const auto batch = static_cast<size_t>(state.shape[1]);
  return rows_of(op, input, direction * batch, batch, of.hidden,
                 {state.shape[1], static_cast<int32_t>(of.hidden)});
}

Result<LstmWeights> check_lstm(NnapiOperation& op) {
  for (size_t i = 1; i < 6; ++i) {
    if (!op.input_tensor(i).data) return op.refuse("has weights or a state that are not constant");
    if (op.input_tensor(i).type != OH_NN_FLOAT32)
      return op.refuse("has weights of a type other than FLOAT32");
  }
  LstmWeights weights;
  weights.directions = op.number(OH_NN_LSTM_BIDIRECTIONAL, 0) != 0 ? 2 : 1;
  const Shape &inner = op.input_tensor(1).shape, &outer = op.input_tensor(2).shape,
              &state = op.input_tensor(4).shape;
  if (inner.size() != 3 || outer.size() != 3 || state.size() != 3)
    return op.refuse("has weights or states that are not of rank 3");
  const auto directions = static_cast<int32_t>(weights.directions);
  const int32_t hidden = outer[2];
  if (inner[0] != directions || hidden < 1 || hidden > kMaxHidden)
    return op.refuse("has several layers, or more than 2^24 units");
  const bool fits = inner[1] == 4 * hidden && outer == Shape{directions, 4 * hidden, hidden} &&
                    op.input_tensor(3).shape == Shape{directions, 8 * hidden} &&
                    state == Shape{directions, state[1], hidden} && op.input_tensor(5).shape == state;
  if (!fits) return op.refuse("has weights or states of different sizes");
  if (op.real(OH_NN_LSTM_ZONEOUT_CELL, 0) != 0 || op.real(OH_NN_LSTM_ZONEOUT_HIDDEN, 0) != 0)
    return op.refuse("keeps part of its states");
  if (op.is_read(1) || op.is_read(2)) return op.refuse("outputs its final states");
  weights.hidden = static_cast<size_t>(outer[2]);
  weights.inputs = static_cast<size_t>(inner[2]);
  return weights;
}

Status lstm(NnapiOperation& op) {
  NNRT_ASSIGN(const LstmWeights weights, check_lstm(op));
  const OH_NN_DataType type = op.input_tensor(0).type;
  Operands operands{op.input(0)};
  for (size_t d = 0; d < weights.directions; ++d) append_weights(op, operands, weights, d);
  for (size_t d = 0; d < weights.directions; ++d) {
    operands.push_back(state_of(op, 4, weights, d));
    operands.push_back(state_of(op, 5, weights, d));
  }
  const bool is_bidirectional = weights.directions == 2;
  if (is_bidirectional) operands.insert(operands.end(), 9, op.writer.omitted(op.input_tensor(1)));
  operands.insert(operands.end(),
                  {op.writer.scalar(kTanh), op.writer.real(op.real(extension(OH_NN_LSTM_CELL_CLIP), 0), type),
                   op.writer.real(0, type)});
  if (is_bidirectional) operands.push_back(op.writer.flag(true));  // both directions merged into one output
  operands.push_back(op.writer.flag(true));                        // time-major
  const OperandId result = op.output();
  op.writer.add(is_bidirectional ? ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM
                                 : ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM,
                operands, std::span(&result, 1));
  return {};
}

// In NNAPI, classes and counts are integers, and boxes come after scores.
Status detection_post_process(NnapiOperation& op) {
  op.leave_out({OH_NN_DETECTION_POST_PROCESS_INPUT_SIZE});  // does not affect the result
  const auto number = [&op](OH_NN_TensorType role) {
    return op.writer.scalar(static_cast<int32_t>(op.number(role, 0)));
  };
  const OH_NN_DataType type = op.input_tensor(0).type;
  const Shape& scores = op.input_tensor(1).shape;
  if (scores.size() != 3 || scores[2] != op.number(OH_NN_DETECTION_POST_PROCESS_NUM_CLASSES, 0) + 1)
    return op.refuse("has no background class");
  const std::vector<float> scale = op.floats(OH_NN_DETECTION_POST_PROCESS_SCALE);  // h, w, x, y
  if (scale.size() != 4) return op.refuse("has no scales");
  Operands operands{op.input(1), op.input(0), op.input(2)};
  for (const size_t i : {3, 2, 0, 1}) operands.push_back(op.writer.real(scale[i], type));
  operands.insert(operands.end(),
                  {op.writer.flag(op.number(OH_NN_DETECTION_POST_PROCESS_USE_REGULAR_NMS, 0) != 0),
                   number(OH_NN_DETECTION_POST_PROCESS_MAX_DETECTIONS),
                   number(OH_NN_DETECTION_POST_PROCESS_MAX_CLASSES_PER_DETECTION),
                   number(OH_NN_DETECTION_POST_PROCESS_DETECTIONS_PER_CLASS),
                   op.writer.real(op.real(OH_NN_DETECTION_POST_PROCESS_NMS_SCORE_THRESHOLD, 0), type),
                   op.writer.real(op.real(OH_NN_DETECTION_POST_PROCESS_NMS_IOU_THRESHOLD, 0), type),
                   op.writer.flag(false)});
  Tensor integers = op.output_tensor(1), count = op.output_tensor(3);
  integers.type = count.type = OH_NN_INT32;
  const OperandId classes = op.writer.temporary(integers), counted = op.writer.temporary(count);
  const OperandId results[] = {op.output(2), op.output(0), classes, counted};
  op.writer.add(ANEURALNETWORKS_DETECTION_POSTPROCESSING, operands, results);
  op.writer.add(ANEURALNETWORKS_CAST, {classes}, {op.output(1)});
  op.writer.add(ANEURALNETWORKS_CAST, {counted}, {op.output(3)});
  return {};
}

constexpr NnapiRow kNnapiSpecialRows[] = {
    {OH_NN_OPS_LSTM, lstm},
    {OH_NN_OPS_DETECTION_POST_PROCESS, detection_post_process},
};

}  // namespace

std::span<const NnapiRow> nnapi_special_rows() { return kNnapiSpecialRows; }

}  // namespace nnrt::import
