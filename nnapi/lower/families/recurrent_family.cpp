// LSTMs: single steps, sequences, bidirectional; and integer LSTMs.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/core_type.h"
#include "nnapi/lower/lstm_cell.h"
#include "nnapi/lower/sequences.h"

#include <android/NeuralNetworks.h>

namespace nnrt::nnapi {
namespace {

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

constexpr LoweringRow kRecurrentLowerings[] = {
    {ANEURALNETWORKS_LSTM, lower_lstm},
    {ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_LSTM, lower_sequence_lstm},
    {ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_LSTM, lower_bidirectional_lstm},
    {ANEURALNETWORKS_QUANTIZED_LSTM, lower_quantized_lstm},
    {ANEURALNETWORKS_QUANTIZED_16BIT_LSTM, lower_quantized_16bit_lstm},
};

}  // namespace

std::span<const LoweringRow> recurrent_lowerings() { return kRecurrentLowerings; }

}  // namespace nnrt::nnapi
