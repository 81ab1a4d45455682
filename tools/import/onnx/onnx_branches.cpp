#include "tools/import/onnx/onnx_branches.h"

#include <limits>

namespace nnrt::import::onnx {
namespace {

// For equal ranks with different shapes: slices the one not taken to zero elements and concatenates both.
TensorId choose_shape_too(Call& call, TensorId holds, TensorId taken, TensorId other) {
  const auto where = [&](TensorId a, TensorId b) { return call.where(holds, a, b); };
  const TensorId none = call.vector({0}), all = call.vector({std::numeric_limits<int32_t>::max()});
  Ids parts, shapes;
  for (const TensorId id : {taken, other}) {
    const bool is_taken = id == taken && parts.empty();
    const TensorId end = where(is_taken ? all : none, is_taken ? none : all);
    parts.push_back(call.slice_between(call.regroup(id, {-1}), 0, none, end));
    shapes.push_back(call.emit(Op::shape, {id}));
  }
  const TensorId joined = call.concat(parts, 0);
  const TensorId shape = where(shapes[0], shapes[1]);
  Dims known = call.shape(taken);
  for (size_t d = 0; d < known.size(); ++d)
    if (known[d] != call.shape(other)[d]) known[d] = kUnknown;
  return call.emit(Op::reshape, {joined, shape}, {}, {.shape = known});
}

}  // namespace

TensorId chosen(Call& call, TensorId holds, TensorId taken, TensorId other) {
  if (call.dtype(taken) != call.dtype(other))
    fail(damaged("The results to choose from have different types."));
  const Dims &shape = call.shape(taken), &other_shape = call.shape(other);
  if (shape.size() != other_shape.size())
    fail(unsupported("The results to choose from have different ranks, ", shape.size(), " and ",
                     other_shape.size(), "."));
  if (shape == other_shape && is_static(shape)) return call.where(holds, taken, other);
  return choose_shape_too(call, holds, taken, other);
}

bool does_not_fit(const Result<Values>& made) {
  return !made.ok() && made.error().code != Code::memory && made.error().code != Code::failed;
}

Ids outputs_of(Call& call, const Values& made) {
  Ids tensors;
  for (size_t i = 0; i < made.size(); ++i) {
    tensors.push_back(made[i].plain.value_or(0));
    if (made[i].elements) call.sequences.emplace(i, *made[i].elements);
  }
  return tensors;
}

}  // namespace nnrt::import::onnx
