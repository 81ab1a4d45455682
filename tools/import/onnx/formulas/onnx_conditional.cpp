// If: inlines the taken branch, or selects between both.
#include "tools/import/onnx/onnx_branches.h"

namespace nnrt::import::onnx {
namespace {

// The result of one branch; fails at run time if the other branch is taken.
Result<TensorId> only(Call& call, TensorId holds, TensorId id, bool is_taken) {
  if (!is_taken) {
    NNRT_ASSIGN(holds, call.emit(OH_NN_OPS_LOGICAL_NOT, {holds}));
  }
  return call.emit(OH_NN_OPS_ASSERT, {holds, id});
}

// Results of different ranks cannot share a tensor. Exporters produce this for a conditional squeeze, in the
// first branch.
Result<TensorId> chosen_branch(Call& call, TensorId holds, TensorId taken, TensorId other) {
  if (call.rank(taken) != call.rank(other)) return only(call, holds, taken, true);
  return chosen(call, holds, taken, other);
}

Result<Ids> choose_in_run(Call& call, TensorId given) {
  NNRT_ASSIGN(const auto* const positive, call.body("then_branch"));
  NNRT_ASSIGN(const auto* const negative, call.body("else_branch"));
  const Result<Values> taken = call.bodies->run_body(*positive, {});
  if (!taken.ok() && !does_not_fit(taken)) return taken.error();
  const Result<Values> other = call.bodies->run_body(*negative, {});
  if (!other.ok() && (!taken.ok() || !does_not_fit(other))) return (taken.ok() ? other : taken).error();
  const size_t count = (taken.ok() ? taken : other).value().size();
  if (taken.ok() && other.ok() && other.value().size() != count)
    return damaged("The branches have ", count, " and ", other.value().size(), " outputs.");
  NNRT_ASSIGN(const TensorId holds, call.reshape(given, {}));
  const auto tensor = [](const Values& made, size_t i) -> Result<TensorId> {
    if (made[i].plain) return *made[i].plain;
    return unsupported("A sequence of a branch that only a run chooses is not supported.");
  };
  Ids made;
  for (size_t i = 0; i < count; ++i) {
    made.push_back(0);
    if (!call.wants(i)) continue;
    NNRT_ASSIGN(const TensorId first, tensor((taken.ok() ? taken : other).value(), i));
    if (!taken.ok() || !other.ok()) {
      NNRT_ASSIGN(made.back(), only(call, holds, first, taken.ok()));
      continue;
    }
    NNRT_ASSIGN(const TensorId second, tensor(other.value(), i));
    NNRT_ASSIGN(made.back(), chosen_branch(call, holds, first, second));
  }
  return made;
}

Result<Ids> if_node(Call& call) {
  NNRT_ASSIGN(const TensorId condition, call.plain_input(0));
  const std::optional<double> known = call.known_number(condition);
  if (!known) return choose_in_run(call, condition);
  NNRT_ASSIGN(const auto* const body, call.body(*known != 0 ? "then_branch" : "else_branch"));
  NNRT_ASSIGN(const Values made, call.bodies->run_body(*body, {}));
  return outputs_of(call, made);
}

}  // namespace

std::vector<Row> conditional_rows() { return {{"If", if_node}}; }

}  // namespace nnrt::import::onnx
