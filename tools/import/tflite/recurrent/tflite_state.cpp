#include "tools/import/tflite/recurrent/tflite_state.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

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

// [batch, hidden] as [1, batch, hidden]
TensorId state_of_direction(Operator& op, size_t i) {
  const TensorId state = state_floats(op, i);
  if (op.rank(state) != 2) op.damaged("needs state of rank 2");
  return op.unsqueeze(state, {0});
}

// Exchanges the first two dimensions.
List<TensorId> exchange_operands(Operator& op, TensorId x) {
  return {x, op.build().vector<int32_t>({1, 0, 2})};
}

}  // namespace

List<float> constant_floats(Operator& op, size_t i, std::string_view what) {
  const std::string operand = std::string(what) + " (input " + std::to_string(i) + ")";
  if (!op.has(i)) op.refuse("lacks " + operand);
  const auto values = op.build().floats(op.input(i), op.input_slot(i).quantized_dimension);
  if (!values) op.refuse("needs constant " + operand);
  return *values;
}

TensorId state_floats(Operator& op, size_t i) {
  if (op.input_slot(i).next) op.refuse("shares its state with another operator");
  return op.build().dequantize(op.input(i));
}

void write_state(Operator& op, size_t i, Op type, List<TensorId> inputs, Settings settings) {
  Tensor next = op.input_tensor(i);
  next.name += " after the run";
  const TensorId target = op.build().add(std::move(next));
  const TensorId from = op.build().float_target(target);
  op.build().operation(type, std::move(inputs), {from}, settings);
  op.build().store(from, target);
  op.set_next_state(i, target);
}

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

TensorId sequence_operand(Operator& op, const Sequence& how) {
  const TensorId x = op.operand(0);
  if (op.rank(x) != 3) op.damaged("needs a sequence of rank 3");
  if (how.is_split() && op.output_count() != 2) op.damaged("needs two outputs");
  if (how.is_time_major) return x;
  return op.emit(Op::transpose, exchange_operands(op, x));
}

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

}  // namespace nnrt::import::tflite
