// Simple recurrent cells, single steps and sequences, and SVDF.
#include "core/base/text.h"
#include "nnapi/lower/compose.h"
#include "nnapi/lower/sequences.h"

#include <android/NeuralNetworks.h>

namespace nnrt::nnapi {
namespace {

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
  std::vector<Value> outputs(size_t(sequence.steps));
  for (int64_t i = 0; i < sequence.steps; ++i) {
    const int64_t step = sequence.backward ? sequence.steps - 1 - i : i;
    const Value rows =
        sequence.steps == 1 ? sums : slice(graph, sums, 0, step * sequence.batch, sequence.batch);
    const Value sum = add(graph, rows, linear(graph, state, weights.recurrent));
    state = outputs[size_t(step)] = with_activation(op, sum, fuse_code);
  }
  return {joined_steps(graph, outputs), state};
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

constexpr LoweringRow kSequenceLowerings[] = {
    {ANEURALNETWORKS_RNN, lower_rnn},
    {ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN, lower_sequence_rnn},
    {ANEURALNETWORKS_BIDIRECTIONAL_SEQUENCE_RNN, lower_bidirectional_rnn},
    {ANEURALNETWORKS_SVDF, lower_svdf},
};

}  // namespace

std::span<const LoweringRow> sequence_lowerings() { return kSequenceLowerings; }

}  // namespace nnrt::nnapi
