// LSTM and GRU over sequences [steps, batch, size].
#include "core/base/text.h"
#include "mindspore/lower/node_lowering.h"

namespace nnrt::mindspore {
namespace {

// From [steps, batch, directions * hidden] to [steps, directions, batch, hidden]. Graphs made through OH_NN
// declare rank 3.
void set_sequence(Lowering& op, const Value& output, int64_t directions) {
  if (op.result_source().dims.size() == 3) return op.set(0, output);
  if (directions == 1) return op.set(0, op.graph.emit(Op::unsqueeze, {output}, {{Attr::axis, Integers{1}}}));
  const int64_t steps = output.dim(0), batch = output.dim(1), hidden = output.dim(2) / directions;
  if (!is_static(output.shape)) op.refuse("The shape of the sequence is not known.");
  op.set(0, transpose(op.graph, reshape(op.graph, output, {steps, batch, directions, hidden}), {0, 2, 1, 3}));
}

// Converters fill in neither sizes nor has_bias, and always give a bias.
void lower_lstm(Lowering& op) {
  const Primitive& p = op.primitive;
  const bool has_bias = p.flag("has_bias") || (p.integer("hidden_size") == 0 && !op.is_from_builders());
  const bool is_both = p.flag("bidirectional");
  if (p.integer("proj_size") != 0) op.refuse("An LSTM with a projection is not supported.");
  const Settings settings{{Attr::bidirectional, is_both},
                          {Attr::has_bias, has_bias},
                          {Attr::num_layers, p.integer("num_layers")},
                          {Attr::zoneout_cell, p.real("zoneout_cell")},
                          {Attr::zoneout_hidden, p.real("zoneout_hidden")}};
  List<Value> inputs = op.inputs();
  const ResultType type{inputs[0].dtype, {}, {}};
  const List<Value> results = op.graph.emit_all(Op::lstm, inputs, settings, {type, type, type});
  set_sequence(op, results[0], is_both ? 2 : 1);
  for (size_t i = 1; i < 3 && i < op.output_count(); ++i) op.set(i, results[i]);
}

void lower_gru(Lowering& op) {
  const bool is_both = op.primitive.flag("bidirectional");
  if (op.has(5)) op.refuse("A GRU with lengths of sequences is not supported.");
  const List<Value> inputs = op.inputs();
  const ResultType type{inputs[0].dtype, {}, {}};
  const List<Value> results =
      op.graph.emit_all(Op::gru, inputs, {{Attr::direction, is_both ? 2 : 0}}, {type, type});
  set_sequence(op, results[0], is_both ? 2 : 1);
  if (op.output_count() > 1) op.set(1, results[1]);
}

}  // namespace

std::span<const LoweringRow> recurrent_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::gru, 5, 6, lower_gru, Op::gru},
      {PrimitiveType::lstm, 6, 6, lower_lstm, Op::lstm},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
