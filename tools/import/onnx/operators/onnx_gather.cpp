// Operators that select elements by index.
#include "tools/import/onnx/onnx_call.h"
#include "tools/import/onnx/operators/onnx_operands.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

Ids gather(Call& call) {
  return {call.gather(call.input(0), call.plain_input(1), call.attributes.integer("axis", 0))};
}

// Wraps negative indices; `limits` holds the lengths of the indexed dimensions.
TensorId wrapped(Call& call, TensorId indices, TensorId limits) {
  return call.where(call.less(indices, 0.0), call.add(indices, limits), indices);
}

// The lengths of the leading dimensions addressed by the last dimension of `indices`.
TensorId limits_of(Call& call, const Dims& shape, TensorId indices) {
  if (call.rank(indices) == 0) fail(damaged("The indices have no dimension."));
  const int64_t count = call.shape(indices).back();
  if (count < 1 || count > static_cast<int64_t>(shape.size()))
    fail(damaged("The length of an index (", count, ") is outside [1, ", shape.size(), "]."));
  const Dims limits = shape.before(static_cast<size_t>(count));
  if (!is_static(limits)) fail(unsupported("The dimensions ", to_string(limits), " to index are not known."));
  return call.cast(call.vector(limits), call.dtype(indices));
}

// Prepends batch coordinates to each index, for the leading dimensions x and the indices share.
TensorId with_batch(Call& call, TensorId x, TensorId indices, int64_t batch) {
  Dims shape = call.shape(indices);
  if (batch < 0 || batch >= static_cast<int64_t>(shape.size()) || batch >= call.rank(x))
    fail(damaged("The number of batch dimensions (", batch, ") is not less than both ranks."));
  if (!is_static(shape)) fail(unsupported("The shape of the indices ", to_string(shape), " is not known."));
  const auto count = static_cast<size_t>(batch);
  if (shape.before(count) != call.shape(x).before(count))
    fail(
        damaged("The batch dimensions of ", to_string(call.shape(x)), " and ", to_string(shape), " differ."));
  shape.back() = batch;
  const TensorId places = call.indices(call.dtype(indices), shape, [&](int64_t i) {
    const auto d = static_cast<size_t>(i % batch);
    return i / product(shape, d + 1, shape.size()) % shape[d];
  });
  return call.concat({places, indices}, call.rank(indices) - 1);
}

Ids gather_nd(Call& call) {
  const TensorId x = call.input(0);
  TensorId indices = call.plain_input(1);
  if (const int64_t batch = call.attributes.integer("batch_dims", 0); batch != 0)
    indices = with_batch(call, x, indices, batch);
  const TensorId positions = wrapped(call, indices, limits_of(call, call.shape(x), indices));
  return {call.emit(Op::gather_nd, {x, positions})};
}

bool is_constant_zero(Call& call, TensorId id) {
  const auto numbers = call.known_numbers(id);
  return numbers && std::ranges::all_of(*numbers, [](double number) { return number == 0; });
}

// SCATTER_ND, which every OH_NN implementation has, starts from zeros.
Ids scatter_nd(Call& call) {
  const TensorId data = call.input(0), indices = call.plain_input(1), updates = call.input(2);
  const int8_t reduction = scatter_reduction(call);
  if (reduction != 0 || !is_constant_zero(call, data)) {
    return {call.emit(Op::scatter_nd_update, {data, indices, updates}, {{Attr::reduction, reduction}})};
  }
  const TensorId positions = wrapped(call, indices, limits_of(call, call.shape(data), indices));
  return {call.emit(Op::scatter_nd, {positions, updates, call.vector(call.shape(data))})};
}

// Indices of any dtype; UINT64 values beyond INT64 saturate, and are out of range either way.
TensorId as_indices(Call& call, TensorId given) {
  if (call.dtype(given) != DType::u64) return call.cast(given, DType::i64);
  return call.emit(Op::cast, {given, call.emitter().type_code(DType::i64)}, {{Attr::saturate, true}},
                   {.dtypes = {DType::i64}});
}

Ids one_hot(Call& call) {
  const TensorId given = call.plain_input(0), values = call.plain_input(2);
  TensorId depth = call.plain_input(1);
  const auto known = call.known_numbers(depth);
  if (known && (known->size() != 1 || !(known->front() >= 1 && known->front() < 1 << 30)))
    fail(damaged("The depth is not a positive scalar."));
  depth = call.reshape(call.cast(depth, DType::i64), {1});
  const TensorId positions = wrapped(call, as_indices(call, given), depth);
  const auto value = [&](int64_t i) {
    return call.emit(Op::slice, {values, call.vector({i}), call.vector({1})});
  };
  const TensorId off = value(0), on = value(1);
  const int64_t axis = call.attributes.integer("axis", -1);
  const int64_t position = axis < -1 ? axis + call.rank(positions) + 1 : axis;
  const TensorId hot = call.emit(Op::one_hot, {positions, depth, on, off}, {{Attr::axis, position}});
  return {call.rank(given) > 0 ? hot : call.regroup(hot, {-1})};  // a scalar counts as [1]
}

// Nothing of x, and positions of nothing.
Ids top_none(Call& call, TensorId x, int64_t axis) {
  axis = call.axis(axis, call.rank(x));
  const TensorId values = call.slice(x, axis, 0, 0);
  return {values, call.cast(values, DType::i64)};
}

Ids top_k(Call& call) {
  TensorId x = call.input(0);
  const int64_t axis = call.attributes.integer("axis", -1);
  const TensorId k = call.has(1) ? call.plain_input(1) : call.vector({call.attributes.integer("k", 1)});
  if (call.known_number(k) == 0.0) return top_none(call, x, axis);
  const bool smallest = !call.attributes.flag("largest", true);
  if (smallest) x = call.in_opposite_order(x);
  Ids made = call.emitter().emit_many(Op::top_k, {x, k}, {{Attr::axis, axis}},
                                      {.count = 2,
                                       .dtypes = {call.dtype(x), DType::i64},
                                       .shape = Dims(static_cast<size_t>(call.rank(x)), kUnknown)});
  if (smallest) made[0] = call.in_opposite_order(made[0]);
  return made;
}

}  // namespace

std::vector<Row> index_rows() {
  return {
      {"Gather", gather, {}, 1}, {"GatherND", gather_nd}, {"OneHot", one_hot},
      {"ScatterND", scatter_nd}, {"TopK", top_k},
  };
}

}  // namespace nnrt::import::onnx
