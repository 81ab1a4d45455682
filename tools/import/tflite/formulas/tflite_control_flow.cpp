// IF and WHILE: the taken branch, or every iteration, is inlined.
#include "tools/import/tflite/formulas/tflite_formula.h"
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

Status check_count(const Operator& op, const Slots& made, size_t count) {
  if (made.size() == count) return {};
  return op.damaged("runs a graph of " + std::to_string(made.size()) + " outputs instead of " +
                    std::to_string(count));
}

// Selects by the condition; both are computed.
Result<TensorSlot> chosen(Operator& op, TensorId condition, const TensorSlot& a, const TensorSlot& b) {
  const Tensor first = op.build().tensor(a.id), second = op.build().tensor(b.id);
  if (first.type != second.type || first.quantization != second.quantization || a.imaginary || b.imaginary)
    return op.refuse("has branches with results of different types");
  if (first.shape != second.shape || std::ranges::any_of(first.shape, [](int32_t d) { return d < 1; }))
    return op.refuse("selects at run time between results that may differ in shape");
  Formula f(op);
  TensorSlot made = a;
  made.id = f.where(condition, a.id, b.id);
  return made;
}

Status if_operator(Operator& op) {
  const auto& options = op.options<format::IfOptions>();
  const auto inputs = op.input_slots().subspan(1);
  if (const auto known = known_condition(op.build(), op.input(0))) {
    NNRT_ASSIGN(const Slots made,
                op.bodies().run(*known ? options.then_graph() : options.else_graph(), inputs));
    NNRT_TRY(check_count(op, made, op.output_count()));
    for (size_t i = 0; i < made.size(); ++i) op.deliver(made[i], i);
    return {};
  }
  NNRT_ASSIGN(const Slots positive, op.bodies().run(options.then_graph(), inputs));
  NNRT_ASSIGN(const Slots negative, op.bodies().run(options.else_graph(), inputs));
  NNRT_TRY(check_count(op, positive, op.output_count()));
  NNRT_TRY(check_count(op, negative, op.output_count()));
  Formula f(op);
  const bool is_scalar = f.rank(op.input(0)) == 0;
  const TensorId condition = is_scalar ? op.input(0) : f.emit(OH_NN_OPS_SQUEEZE, {op.input(0)});
  for (size_t i = 0; i < positive.size(); ++i) {
    NNRT_ASSIGN(const TensorSlot made, chosen(op, condition, positive[i], negative[i]));
    op.deliver(made, i);
  }
  return {};
}

List<TensorSlot*> pointers(Slots& slots) {
  List<TensorSlot*> result;
  for (TensorSlot& slot : slots) result.push_back(&slot);
  return result;
}

Status while_operator(Operator& op) {
  constexpr size_t kMaxRounds = 1024;
  const auto& options = op.options<format::WhileOptions>();
  Slots state;
  for (size_t i = 0; i < op.input_count(); ++i) {
    if (!op.has(i)) return op.damaged("lacks input " + std::to_string(i));
    state.push_back(op.input_slot(i));
  }
  NNRT_TRY(check_count(op, state, op.output_count()));
  for (size_t round = 0;; ++round) {
    NNRT_ASSIGN(const Slots condition, op.bodies().run(options.condition_graph(), pointers(state)));
    NNRT_TRY(check_count(op, condition, 1));
    const std::optional<bool> known = known_condition(op.build(), condition[0].id);
    if (!known) return op.refuse("has a condition known only at run time");
    if (!*known) break;
    if (round == kMaxRounds) return op.refuse("has more than " + std::to_string(kMaxRounds) + " rounds");
    NNRT_TRY(op.build().budget().check());
    NNRT_ASSIGN(state, op.bodies().run(options.body_graph(), pointers(state)));
    NNRT_TRY(check_count(op, state, op.output_count()));
  }
  for (size_t i = 0; i < state.size(); ++i) op.deliver(state[i], i);
  return {};
}

constexpr Row kControlFlowRows[] = {
    {IF, 1, kMany, Numbers::any, if_operator},
    {WHILE, 1, kMany, Numbers::any, while_operator},
};

}  // namespace

std::span<const Row> control_flow_rows() { return kControlFlowRows; }

}  // namespace nnrt::import::tflite
