// IF and WHILE: the taken branch, or every iteration, is inlined.
#include "core/base/counted.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>

namespace nnrt::import::tflite {
namespace {

using enum BuiltinOperator;

using Slots = List<TensorSlot>;

// Empty if it is dynamic.
std::optional<bool> known_condition(const NetworkBuilder& build, TensorId id) {
  const Tensor& tensor = build.tensor(id);
  if (tensor.type != OH_NN_BOOL || !tensor.data || tensor.data->size() != 1) return {};
  return (*tensor.data)[0] != std::byte{0};
}

void check_count(const Operator& op, const Slots& made, size_t count) {
  if (made.size() == count) return;
  op.damaged("runs a graph of ", counted(made.size(), "output"), " instead of ", count);
}

// Selects by the condition; both are computed.
TensorSlot chosen(Operator& op, TensorId condition, const TensorSlot& a, const TensorSlot& b) {
  const Tensor first = op.build().tensor(a.id), second = op.build().tensor(b.id);
  if (first.type != second.type || first.quantization != second.quantization || a.imaginary || b.imaginary)
    op.refuse("has branches with results of different types");
  if (first.shape != second.shape || std::ranges::any_of(first.shape, [](int32_t d) { return d < 1; }))
    op.refuse("selects at run time between results that may differ in shape");
  TensorSlot made = a;
  made.id = op.where(condition, a.id, b.id);
  return made;
}

void if_operator(Operator& op) {
  const auto& options = op.options<format::IfOptions>();
  const auto inputs = op.input_slots().subspan(1);
  if (const auto known = known_condition(op.build(), op.input(0))) {
    const Slots made = op.bodies().run(*known ? options.then_graph() : options.else_graph(), inputs);
    check_count(op, made, op.output_count());
    for (size_t i = 0; i < made.size(); ++i) op.deliver(made[i], i);
    return;
  }
  const Slots positive = op.bodies().run(options.then_graph(), inputs);
  const Slots negative = op.bodies().run(options.else_graph(), inputs);
  check_count(op, positive, op.output_count());
  check_count(op, negative, op.output_count());
  const bool is_scalar = op.rank(op.input(0)) == 0;
  const TensorId condition = is_scalar ? op.input(0) : op.emit(Op::squeeze, {op.input(0)});
  for (size_t i = 0; i < positive.size(); ++i) op.deliver(chosen(op, condition, positive[i], negative[i]), i);
}

List<TensorSlot*> pointers(Slots& slots) {
  List<TensorSlot*> result;
  for (TensorSlot& slot : slots) result.push_back(&slot);
  return result;
}

void while_operator(Operator& op) {
  constexpr size_t kMaxRounds = 1024;
  const auto& options = op.options<format::WhileOptions>();
  Slots state;
  for (size_t i = 0; i < op.input_count(); ++i) {
    state.push_back(op.input_slot(i));
  }
  check_count(op, state, op.output_count());
  for (size_t round = 0;; ++round) {
    const Slots condition = op.bodies().run(options.condition_graph(), pointers(state));
    check_count(op, condition, 1);
    const std::optional<bool> known = known_condition(op.build(), condition[0].id);
    if (!known) op.refuse("has a condition known only at run time");
    if (!*known) break;
    if (round == kMaxRounds) op.refuse("has more than ", kMaxRounds, " rounds");
    required(op.build().budget().check());
    state = op.bodies().run(options.body_graph(), pointers(state));
    check_count(op, state, op.output_count());
  }
  for (size_t i = 0; i < state.size(); ++i) op.deliver(state[i], i);
}

constexpr Row kControlFlowRows[] = {
    {IF, 1, kMany, Numbers::any, if_operator},
    {WHILE, 1, kMany, Numbers::any, while_operator},
};

}  // namespace

std::span<const Row> control_flow_rows() { return kControlFlowRows; }

}  // namespace nnrt::import::tflite
