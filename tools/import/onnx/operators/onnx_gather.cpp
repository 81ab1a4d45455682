// Operators that select elements by index.
#include "tools/import/onnx/onnx_formula.h"
#include "tools/import/onnx/operators/onnx_operands.h"
#include "tools/import/onnx/operators/onnx_opposite_order.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

Result<Ids> gather(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(const TensorId indices, call.plain_input(1));
  const TensorId axis = call.emitter().integers({call.attributes.integer("axis", 0)});
  return single(call.emit(OH_NN_OPS_GATHER, {x, indices, axis}));
}

// Wraps negative indices; `limits` holds the lengths of the indexed dimensions.
Result<TensorId> wrapped(Call& call, TensorId indices, TensorId limits) {
  NNRT_ASSIGN(const TensorId negative, call.emit(OH_NN_OPS_LESS, {indices, call.number_like(indices, 0)}));
  NNRT_ASSIGN(const TensorId sum, call.emit(OH_NN_OPS_ADD, {indices, limits}));
  return call.emit(OH_NN_OPS_WHERE, {negative, sum, indices});
}

// The lengths of the leading dimensions addressed by the last dimension of `indices`.
Result<TensorId> limits_of(Call& call, const Dims& shape, TensorId indices) {
  if (call.rank(indices) == 0) return damaged("The indices have no dimension.");
  const int64_t count = call.shape(indices).back();
  if (count < 1 || count > static_cast<int64_t>(shape.size()))
    return damaged("The length of an index (", count, ") is outside [1, ", shape.size(), "].");
  const Dims limits = shape.before(static_cast<size_t>(count));
  if (!is_static(limits))
    return unsupported("The dimensions ", to_string(limits), " to index are not known.");
  return call.cast(call.emitter().integers(limits), call.emitter().dtype(indices));
}

// Prepends batch coordinates to each index, for the leading dimensions x and the indices share.
Result<TensorId> with_batch(Call& call, TensorId x, TensorId indices, int64_t batch) {
  Dims shape = call.shape(indices);
  if (batch < 0 || batch >= static_cast<int64_t>(shape.size()) || batch >= call.rank(x))
    return damaged("The number of batch dimensions (", batch, ") is not less than both ranks.");
  if (!is_static(shape)) return unsupported("The shape of the indices ", to_string(shape), " is not known.");
  const auto count = static_cast<size_t>(batch);
  if (shape.before(count) != call.shape(x).before(count))
    return damaged("The batch dimensions of ", to_string(call.shape(x)), " and ", to_string(shape),
                   " differ.");
  shape.back() = batch;
  Formula f(call);
  const TensorId places = f.indices(call.emitter().dtype(indices), shape, [&](int64_t i) {
    const auto d = static_cast<size_t>(i % batch);
    return i / product(shape, d + 1, shape.size()) % shape[d];
  });
  return f.concat({places, indices}, call.rank(indices) - 1);
}

Result<Ids> gather_nd(Call& call) {
  NNRT_ASSIGN(const TensorId x, call.input(0));
  NNRT_ASSIGN(TensorId indices, call.plain_input(1));
  if (const int64_t batch = call.attributes.integer("batch_dims", 0); batch != 0) {
    NNRT_ASSIGN(indices, with_batch(call, x, indices, batch));
  }
  NNRT_ASSIGN(const TensorId limits, limits_of(call, call.shape(x), indices));
  NNRT_ASSIGN(const TensorId positions, wrapped(call, indices, limits));
  return single(call.emit(OH_NN_OPS_GATHER_ND, {x, positions}));
}

bool is_constant_zero(Call& call, TensorId id) {
  const auto numbers = call.emitter().known_numbers(id);
  return numbers && std::ranges::all_of(*numbers, [](double number) { return number == 0; });
}

// SCATTER_ND, which every OH_NN implementation has, starts from zeros.
Result<Ids> scatter_nd(Call& call) {
  NNRT_ASSIGN(const TensorId data, call.input(0));
  NNRT_ASSIGN(const TensorId indices, call.plain_input(1));
  NNRT_ASSIGN(const TensorId updates, call.input(2));
  NNRT_ASSIGN(const int8_t reduction, scatter_reduction(call));
  if (reduction != 0 || !is_constant_zero(call, data)) {
    return single(call.emit(OH_NN_OPS_SCATTER_ND_UPDATE, {data, indices, updates},
                            {int8_parameter(extension(OH_NN_SCATTER_ND_UPDATE_REDUCTION), reduction)}));
  }
  NNRT_ASSIGN(const TensorId limits, limits_of(call, call.shape(data), indices));
  NNRT_ASSIGN(const TensorId positions, wrapped(call, indices, limits));
  return single(
      call.emit(OH_NN_OPS_SCATTER_ND, {positions, updates, call.emitter().integers(call.shape(data))}));
}

// Indices of any dtype; UINT64 values beyond INT64 saturate, and are out of range either way.
Result<TensorId> as_indices(Call& call, TensorId given) {
  if (call.emitter().dtype(given) != DType::u64) return call.cast(given, DType::i64);
  return call.emit(OH_NN_OPS_CAST, {given, call.emitter().type_code(DType::i64)},
                   {bool_parameter(extension(OH_NN_CAST_SATURATE), true)}, {.dtypes = {DType::i64}});
}

Result<Ids> one_hot(Call& call) {
  NNRT_ASSIGN(const TensorId given, call.plain_input(0));
  NNRT_ASSIGN(TensorId depth, call.plain_input(1));
  NNRT_ASSIGN(const TensorId values, call.plain_input(2));
  const auto known = call.emitter().known_numbers(depth);
  if (known && (known->size() != 1 || !(known->front() >= 1 && known->front() < 1 << 30)))
    return damaged("The depth is not a positive scalar.");
  NNRT_ASSIGN(depth, call.cast(depth, DType::i64));
  NNRT_ASSIGN(depth, call.reshape(depth, {1}));
  NNRT_ASSIGN(const TensorId indices, as_indices(call, given));
  NNRT_ASSIGN(const TensorId positions, wrapped(call, indices, depth));
  const auto value = [&](int64_t i) {
    Emitter& emitter = call.emitter();
    return call.emit(OH_NN_OPS_SLICE, {values, emitter.integers({i}), emitter.integers({1})});
  };
  NNRT_ASSIGN(const TensorId off, value(0));
  NNRT_ASSIGN(const TensorId on, value(1));
  const int64_t axis = call.attributes.integer("axis", -1);
  const int64_t position = axis < -1 ? axis + call.rank(positions) + 1 : axis;
  NNRT_ASSIGN(const TensorId hot, call.emit(OH_NN_OPS_ONE_HOT, {positions, depth, on, off},
                                            {int64_parameter(OH_NN_ONE_HOT_AXIS, position)}));
  if (call.rank(given) > 0) return Ids{hot};
  return single(
      call.emit(OH_NN_OPS_RESHAPE, {hot, call.emitter().integers({-1})}));  // a scalar counts as [1]
}

// Nothing of x, and positions of nothing.
Result<Ids> top_none(Call& call, TensorId x, int64_t axis) {
  NNRT_ASSIGN(axis, call.axis(axis, call.rank(x)));
  Formula f(call);
  const TensorId values = f.slice(x, axis, 0, 0);
  return Ids{values, f.cast(values, DType::i64)};
}

Result<Ids> top_k(Call& call) {
  NNRT_ASSIGN(TensorId x, call.input(0));
  const int64_t axis = call.attributes.integer("axis", -1);
  const TensorId fixed = call.emitter().integers({call.attributes.integer("k", 1)});
  NNRT_ASSIGN(const TensorId k, call.has(1) ? call.plain_input(1) : Result<TensorId>(fixed));
  if (call.known_number(k) == 0.0) return top_none(call, x, axis);
  const bool smallest = call.attributes.integer("largest", 1) == 0;
  if (smallest) {
    NNRT_ASSIGN(x, in_opposite_order(call, x));
  }
  NNRT_ASSIGN(Ids made,
              call.emitter().emit_many(OH_NN_OPS_TOP_K, {x, k}, {int64_parameter(OH_NN_TOP_K_AXIS, axis)},
                                       {.count = 2,
                                        .dtypes = {call.emitter().dtype(x), DType::i64},
                                        .shape = Dims(static_cast<size_t>(call.rank(x)), kUnknown)}));
  if (smallest) {
    NNRT_ASSIGN(made[0], in_opposite_order(call, made[0]));
  }
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
