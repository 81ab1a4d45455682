// If: inlines the taken branch, or selects between both.
#include "tools/import/onnx/onnx_call.h"

#include <algorithm>
#include <limits>

namespace nnrt::import::onnx {
namespace {

// A condition known only at run time, as a single BOOL.
struct Condition {
  Call& call;
  TensorId holds;

  // `taken` if the condition holds, otherwise `other`.
  Result<TensorId> choose(TensorId taken, TensorId other) const {
    return call.emit(OH_NN_OPS_WHERE, {holds, taken, other});
  }
};

// For equal ranks with different shapes: slices the branch not taken to zero elements and concatenates both.
Result<TensorId> choose_shape_too(const Condition& condition, TensorId taken, TensorId other) {
  Call& call = condition.call;
  Emitter& emitter = call.emitter();
  const TensorId none = emitter.integers({0}), one = emitter.integers({1});
  const TensorId all = emitter.integers({std::numeric_limits<int32_t>::max()});
  Ids parts, shapes;
  for (const TensorId id : {taken, other}) {
    const bool is_taken = id == taken && parts.empty();
    NNRT_ASSIGN(const TensorId flat, call.emit(OH_NN_OPS_RESHAPE, {id, emitter.integers({-1})}));
    NNRT_ASSIGN(const TensorId end, condition.choose(is_taken ? all : none, is_taken ? none : all));
    NNRT_ASSIGN(parts.emplace_back(),
                call.emit(OH_NN_OPS_STRIDED_SLICE, {flat, none, end, one}, {}, {.shape = {kUnknown}}));
    NNRT_ASSIGN(shapes.emplace_back(), call.emit(OH_NN_OPS_SHAPE, {id}));
  }
  NNRT_ASSIGN(const TensorId joined,
              call.emit(OH_NN_OPS_CONCAT, parts, {int64_parameter(OH_NN_CONCAT_AXIS, 0)}));
  NNRT_ASSIGN(const TensorId shape, condition.choose(shapes[0], shapes[1]));
  Dims known = call.shape(taken);
  for (size_t d = 0; d < known.size(); ++d)
    if (known[d] != call.shape(other)[d]) known[d] = kUnknown;
  return call.emit(OH_NN_OPS_RESHAPE, {joined, shape}, {}, {.shape = known});
}

// The result of one branch; fails at run time if the other branch is taken.
Result<TensorId> only(const Condition& condition, TensorId id, bool is_taken) {
  Call& call = condition.call;
  TensorId holds = condition.holds;
  if (!is_taken) {
    NNRT_ASSIGN(holds, call.emit(OH_NN_OPS_LOGICAL_NOT, {holds}));
  }
  return call.emit(OH_NN_OPS_ASSERT, {holds, id});
}

// Results of different ranks cannot share a tensor. Exporters produce this for a conditional squeeze, in the
// first branch.
Result<TensorId> chosen(const Condition& condition, TensorId taken, TensorId other) {
  Call& call = condition.call;
  if (call.emitter().dtype(taken) != call.emitter().dtype(other))
    return damaged("The branches have results of different types.");
  const Dims &shape = call.shape(taken), &other_shape = call.shape(other);
  if (shape.size() != other_shape.size()) return only(condition, taken, true);
  if (shape == other_shape && is_static(shape)) return condition.choose(taken, other);
  return choose_shape_too(condition, taken, other);
}

// A branch whose shapes are impossible is never taken.
bool does_not_fit(const Result<Ids>& branch) {
  return !branch.ok() && branch.error().code != Code::memory && branch.error().code != Code::failed;
}

Result<Ids> choose_in_run(Call& call, TensorId given) {
  NNRT_ASSIGN(const auto* const positive, call.body("then_branch"));
  NNRT_ASSIGN(const auto* const negative, call.body("else_branch"));
  const Result<Ids> taken = call.bodies->run_body(*positive, {});
  if (!taken.ok() && !does_not_fit(taken)) return taken;
  const Result<Ids> other = call.bodies->run_body(*negative, {});
  if (!other.ok() && (!taken.ok() || !does_not_fit(other))) return taken.ok() ? other : taken;
  const size_t count = (taken.ok() ? taken : other).value().size();
  if (taken.ok() && other.ok() && other.value().size() != count)
    return damaged("The branches have ", count, " and ", other.value().size(), " outputs.");
  NNRT_ASSIGN(const TensorId holds, call.reshape(given, {}));
  const Condition condition{call, holds};
  Ids made;
  for (size_t i = 0; i < count; ++i) {
    if (!call.wants(i)) {
      made.push_back(0);
    } else if (taken.ok() && other.ok()) {
      NNRT_ASSIGN(made.emplace_back(), chosen(condition, taken.value()[i], other.value()[i]));
    } else {
      NNRT_ASSIGN(made.emplace_back(), only(condition, (taken.ok() ? taken : other).value()[i], taken.ok()));
    }
  }
  return made;
}

Result<Ids> if_node(Call& call) {
  NNRT_ASSIGN(const TensorId condition, call.plain_input(0));
  const std::optional<double> known = call.known_number(condition);
  if (!known) return choose_in_run(call, condition);
  NNRT_ASSIGN(const auto* const body, call.body(*known != 0 ? "then_branch" : "else_branch"));
  return call.bodies->run_body(*body, {});
}

}  // namespace

std::vector<Row> conditional_rows() { return {{"If", if_node}}; }

}  // namespace nnrt::import::onnx
