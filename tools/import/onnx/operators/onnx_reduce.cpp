// Reductions.
#include "tools/import/onnx/onnx_call.h"

#include <limits>

namespace nnrt::import::onnx {
namespace {

struct Reduction {
  TensorId x;
  List<int64_t> axes;
  bool keep;
  bool none;                         // no axes: a no-op
  std::optional<TensorId> computed;  // dynamic axes, instead of `axes`
};

// Empty if the axes are constant.
std::optional<TensorId> computed_axes(Call& call) {
  if (call.attributes.has("axes") || !call.has(1)) return {};
  const TensorId axes = call.plain_input(1);
  if (call.known_integers(axes)) return {};
  const bool counts_none = call.attributes.flag("noop_with_empty_axes");
  if (counts_none && !is_static(call.shape(axes)))
    fail(unsupported("Whether there are axes is known only at run time."));
  return axes;
}

// The result's dimensions, whose lengths are dynamic.
Dims open_shape(Call& call, const Reduction& by, bool keep) {
  const Dims& axes = call.shape(*by.computed);
  const int64_t rank = call.rank(by.x);
  if (keep) return Dims(static_cast<size_t>(rank), kUnknown);
  if (axes.size() != 1 || axes[0] == kUnknown || axes[0] > rank)
    fail(unsupported("The number of reduced axes is known only at run time."));
  return Dims(static_cast<size_t>(rank - axes[0]), kUnknown);
}

Reduction read(Call& call) {
  Reduction reduction{};
  reduction.x = call.input(0);
  reduction.keep = call.attributes.flag("keepdims", true);
  reduction.computed = computed_axes(call);
  if (reduction.computed) return reduction;
  const List<int64_t> axes = call.integers("axes", 1);
  const int64_t rank = call.rank(reduction.x);
  reduction.axes = call.axes(axes, rank);
  if (axes.empty()) {
    reduction.none = rank == 0 || call.attributes.flag("noop_with_empty_axes");
    reduction.axes = axes_between(0, rank);
  }
  return reduction;
}

TensorId reduced(Call& call, Op operation, TensorId x, const Reduction& by, bool keep) {
  if (by.none) return x;
  Outputs outputs;
  if (by.computed) outputs.shape = open_shape(call, by, keep);
  return call.emit(operation, {x, by.computed ? *by.computed : call.vector(by.axes)},
                   {{Attr::keep_dims, keep}}, outputs);
}

// Removes the dimensions a reduction kept.
TensorId without_axes(Call& call, TensorId kept, const Reduction& by) {
  if (!by.computed) return call.squeeze(kept, by.axes);
  const TensorId like = reduced(call, Op::reduce_max, by.x, by, false);
  if (call.rank(like) == 0) return call.reshape(kept, {});
  const TensorId shape = call.emit(Op::shape, {like});
  return call.emit(Op::reshape, {kept, shape}, {}, {.shape = call.shape(like)});
}

Ids reduce(Call& call) {
  const Reduction by = read(call);
  return {reduced(call, call.row().operation, by.x, by, by.keep)};
}

bool is_integer(Call& call, TensorId x) { return (kIndex | DType::u64).contains(call.dtype(x)); }

// Truncated square root. FLOAT64's is off by at most 1. Quotients cannot overflow, as squares would.
TensorId integer_root(Call& call, TensorId sum) {
  const TensorId near = call.cast(call.sqrt(call.cast(sum, DType::f64)), call.dtype(sum)),
                 next = call.add(near, 1.0);
  const TensorId low = call.where(call.less(call.div(sum, near), near), call.sub(near, 1.0), near);
  return call.where(call.less(call.div(sum, next), next), low, next);
}

Ids reduce_l2(Call& call) {
  const Reduction by = read(call);
  if (by.none) return {call.abs(by.x)};
  if (!is_integer(call, by.x)) return {reduced(call, Op::reduce_l2, by.x, by, by.keep)};
  return {integer_root(call, reduced(call, Op::reduce_sum, call.mul(by.x, by.x), by, by.keep))};
}

Ids reduce_l1(Call& call) {
  const Reduction by = read(call);
  return {reduced(call, Op::reduce_sum, call.abs(by.x), by, by.keep)};
}

Ids sum_square(Call& call) {
  const Reduction by = read(call);
  const TensorId square = is_integer(call, by.x) ? call.mul(by.x, by.x) : call.square(by.x);
  return {reduced(call, Op::reduce_sum, square, by, by.keep)};
}

// FLOAT64 distinguishes logarithms of adjacent integers.
TensorId logarithm(Call& call, TensorId x) {
  if (!is_integer(call, x)) return call.log(x);
  const TensorId log = call.log(call.cast(x, DType::f64));
  return call.cast(log, call.dtype(x));
}

Ids log_sum(Call& call) {
  const Reduction by = read(call);
  return {logarithm(call, reduced(call, Op::reduce_sum, by.x, by, by.keep))};
}

// Subtracts the maximum from the exponents to avoid overflow, unless it is infinite.
TensorId finite_part(Call& call, TensorId max) {
  if (!is_float(call.dtype(max))) return max;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return call.where(call.equal(call.abs(max), kInfinity), call.number(max, 0), max);
}

// Sum of an integer and a non-negative fraction, truncated: negative sums round up.
TensorId truncated_sum(Call& call, TensorId whole, TensorId fraction) {
  const DType dtype = call.dtype(whole);
  const TensorId low = call.cast(call.emit(Op::floor, {fraction}), dtype),
                 high = call.cast(call.emit(Op::ceil, {fraction}), dtype);
  if (dtype == DType::u64) return call.add(whole, low);
  return call.add(whole, call.min(high, call.max(low, call.neg(whole))));
}

Ids log_sum_exp(Call& call) {
  const Reduction by = read(call);
  if (by.none) return {by.x};
  const bool integer = is_integer(call, by.x);
  const TensorId taken = finite_part(call, reduced(call, Op::reduce_max, by.x, by, true));
  const TensorId below =
      integer ? call.neg(call.cast(call.sub(taken, by.x), DType::f32)) : call.sub(by.x, taken);
  const TensorId log = call.log(reduced(call, Op::reduce_sum, call.exp(below), by, true));
  const TensorId result = integer ? truncated_sum(call, taken, log) : call.add(log, taken);
  return {by.keep ? result : without_axes(call, result, by)};
}

// The first of equal elements, or the last by searching in reverse.
Ids arg(Call& call) {
  TensorId x = call.input(0);
  const int64_t axis = call.axis(call.attributes.integer("axis", 0), call.rank(x));
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  const bool last = call.attributes.flag("select_last_index");
  if (last && length == kUnknown)
    fail(unsupported("Selecting the last of equal elements along an unknown dimension is not supported."));
  if (call.type() == "ArgMin") x = call.in_opposite_order(x);
  if (last) x = call.reversed(x, {axis});
  const TensorId position = call.emit(
      Op::arg_max, {x}, {{Attr::axis, axis}, {Attr::keep_dims, call.attributes.flag("keepdims", true)}},
      {.dtypes = {DType::i64}});
  if (!last) return {position};
  return {call.sub(call.number(position, static_cast<double>(length - 1)), position)};
}

}  // namespace

std::vector<Row> reduce_rows() {
  return {
      {"ArgMax", arg},
      {"ArgMin", arg},
      {"ReduceL1", reduce_l1},
      {"ReduceL2", reduce_l2},
      {"ReduceLogSum", log_sum},
      {"ReduceLogSumExp", log_sum_exp},
      {"ReduceMax", reduce, Op::reduce_max},
      {"ReduceMean", reduce, Op::reduce_mean, 1},
      {"ReduceMin", reduce, Op::reduce_min},
      {"ReduceProd", reduce, Op::reduce_prod},
      {"ReduceSum", reduce, Op::reduce_sum},
      {"ReduceSumSquare", sum_square},
  };
}

}  // namespace nnrt::import::onnx
