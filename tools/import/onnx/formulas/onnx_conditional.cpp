// If: inlines the taken branch, or selects between both.
#include "tools/import/onnx/onnx_branches.h"

namespace nnrt::import::onnx {
namespace {

// The result of one branch; fails at run time if the other branch is taken.
TensorId only(Call& call, TensorId holds, TensorId id, bool is_taken) {
  if (!is_taken) holds = call.emit(Op::logical_not, {holds});
  return call.emit(Op::assert_, {holds, id});
}

// Results of different ranks cannot share a tensor. Exporters produce this for a conditional squeeze, in the
// first branch.
TensorId chosen_branch(Call& call, TensorId holds, TensorId taken, TensorId other) {
  if (call.rank(taken) != call.rank(other)) return only(call, holds, taken, true);
  return chosen(call, holds, taken, other);
}

Ids choose_in_run(Call& call, TensorId given) {
  const onnx_file::GraphProto &positive = call.body("then_branch"), &negative = call.body("else_branch");
  const Result<Values> taken = call.bodies->run_body(positive, {});
  if (!taken.ok() && !does_not_fit(taken)) fail(taken.error());
  const Result<Values> other = call.bodies->run_body(negative, {});
  if (!other.ok() && (!taken.ok() || !does_not_fit(other))) fail((taken.ok() ? other : taken).error());
  const size_t count = (taken.ok() ? taken : other).value().size();
  if (taken.ok() && other.ok() && other.value().size() != count)
    fail(damaged("The branches have ", count, " and ", other.value().size(), " outputs."));
  const TensorId holds = call.reshape(given, {});
  const auto tensor = [](const Values& made, size_t i) -> TensorId {
    if (made[i].plain) return *made[i].plain;
    fail(unsupported("A sequence of a branch that only a run chooses is not supported."));
  };
  Ids made;
  for (size_t i = 0; i < count; ++i) {
    made.push_back(0);
    if (!call.wants(i)) continue;
    const TensorId first = tensor((taken.ok() ? taken : other).value(), i);
    made.back() = taken.ok() && other.ok() ? chosen_branch(call, holds, first, tensor(other.value(), i))
                                           : only(call, holds, first, taken.ok());
  }
  return made;
}

Ids if_node(Call& call) {
  const TensorId condition = call.plain_input(0);
  const std::optional<double> known = call.known_number(condition);
  if (!known) return choose_in_run(call, condition);
  const onnx_file::GraphProto& body = call.body(*known != 0 ? "then_branch" : "else_branch");
  return outputs_of(call, required(call.bodies->run_body(body, {})));
}

}  // namespace

std::vector<Row> conditional_rows() { return {{"If", if_node}}; }

}  // namespace nnrt::import::onnx
