// Reductions.
#include "tools/import/onnx/onnx_formula.h"
#include "tools/import/onnx/operators/onnx_opposite_order.h"

#include <limits>
#include <numeric>

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
Result<std::optional<TensorId>> computed_axes(Call& call) {
  if (call.attributes.has("axes") || !call.has(1)) return std::optional<TensorId>();
  NNRT_ASSIGN(const TensorId axes, call.plain_input(1));
  if (call.emitter().known_integers(axes)) return std::optional<TensorId>();
  const bool counts_none = call.attributes.integer("noop_with_empty_axes", 0) != 0;
  if (counts_none && !is_static(call.shape(axes)))
    return unsupported("Whether there are axes is known only at run time.");
  return std::optional(axes);
}

// The result's dimensions, whose lengths are dynamic.
Result<Dims> open_shape(Call& call, const Reduction& by, bool keep) {
  const Dims& axes = call.shape(*by.computed);
  const int64_t rank = call.rank(by.x);
  if (keep) return Dims(static_cast<size_t>(rank), kUnknown);
  if (axes.size() != 1 || axes[0] == kUnknown || axes[0] > rank)
    return unsupported("The number of reduced axes is known only at run time.");
  return Dims(static_cast<size_t>(rank - axes[0]), kUnknown);
}

Result<Reduction> read(Call& call) {
  Reduction reduction{};
  NNRT_ASSIGN(reduction.x, call.input(0));
  reduction.keep = call.attributes.integer("keepdims", 1) != 0;
  NNRT_ASSIGN(reduction.computed, computed_axes(call));
  if (reduction.computed) return reduction;
  NNRT_ASSIGN(const List<int64_t> axes, call.integers("axes", 1));
  const int64_t rank = call.rank(reduction.x);
  NNRT_ASSIGN(reduction.axes, call.axes(axes, rank));
  if (axes.empty()) {
    reduction.none = rank == 0 || call.attributes.integer("noop_with_empty_axes", 0) != 0;
    reduction.axes.resize(static_cast<size_t>(rank));
    std::iota(reduction.axes.begin(), reduction.axes.end(), int64_t{0});
  }
  return reduction;
}

OH_NN_TensorType keep_role(OH_NN_OperationType operation) {
  switch (operation) {
    case OH_NN_OPS_REDUCE_MAX: return OH_NN_REDUCE_MAX_KEEP_DIMS;
    case OH_NN_OPS_REDUCE_MIN: return OH_NN_REDUCE_MIN_KEEP_DIMS;
    case OH_NN_OPS_REDUCE_MEAN: return OH_NN_REDUCE_MEAN_KEEP_DIMS;
    case OH_NN_OPS_REDUCE_PROD: return OH_NN_REDUCE_PROD_KEEP_DIMS;
    case OH_NN_OPS_REDUCE_L2: return OH_NN_REDUCE_L2_KEEP_DIMS;
    default: return OH_NN_REDUCE_SUM_KEEP_DIMS;
  }
}

Result<TensorId> reduced(Call& call, OH_NN_OperationType operation, TensorId x, const Reduction& by,
                         bool keep) {
  if (by.none) return x;
  Outputs outputs;
  if (by.computed) {
    NNRT_ASSIGN(outputs.shape, open_shape(call, by, keep));
  }
  return call.emit(operation, {x, by.computed ? *by.computed : call.emitter().integers(by.axes)},
                   {bool_parameter(keep_role(operation), keep)}, outputs);
}

// Removes the dimensions a reduction kept.
Result<TensorId> without_axes(Call& call, TensorId kept, const Reduction& by) {
  if (!by.computed)
    return call.emit(OH_NN_OPS_SQUEEZE, {kept}, {int64s_parameter(OH_NN_SQUEEZE_AXIS, by.axes)});
  NNRT_ASSIGN(const TensorId like, reduced(call, OH_NN_OPS_REDUCE_MAX, by.x, by, false));
  if (call.rank(like) == 0) return call.reshape(kept, {});
  NNRT_ASSIGN(const TensorId shape, call.emit(OH_NN_OPS_SHAPE, {like}));
  return call.emit(OH_NN_OPS_RESHAPE, {kept, shape}, {}, {.shape = call.shape(like)});
}

Result<Ids> reduce(Call& call) {
  NNRT_ASSIGN(const Reduction by, read(call));
  return single(reduced(call, call.row().operation, by.x, by, by.keep));
}

bool is_integer(Call& call, TensorId x) { return (kIndex | DType::u64).contains(call.emitter().dtype(x)); }

// Truncated square root. FLOAT64's is off by at most 1. Quotients cannot overflow, as squares would.
TensorId integer_root(Formula& f, TensorId sum) {
  const TensorId near = f.cast(f.sqrt(f.cast(sum, DType::f64)), f.dtype(sum)), next = f.add(near, 1.0);
  const TensorId low = f.where(f.less(f.div(sum, near), near), f.sub(near, 1.0), near);
  return f.where(f.less(f.div(sum, next), next), low, next);
}

Result<Ids> reduce_l2(Call& call) {
  NNRT_ASSIGN(const Reduction by, read(call));
  if (by.none) return single(call.emit(OH_NN_OPS_ABS, {by.x}));
  if (!is_integer(call, by.x)) return single(reduced(call, OH_NN_OPS_REDUCE_L2, by.x, by, by.keep));
  Formula f(call);
  const TensorId squares = f.mul(by.x, by.x);
  return Ids{integer_root(f, f.given(reduced(call, OH_NN_OPS_REDUCE_SUM, squares, by, by.keep)))};
}

Result<Ids> reduce_l1(Call& call) {
  NNRT_ASSIGN(const Reduction by, read(call));
  NNRT_ASSIGN(const TensorId size, call.emit(OH_NN_OPS_ABS, {by.x}));
  return single(reduced(call, OH_NN_OPS_REDUCE_SUM, size, by, by.keep));
}

Result<Ids> sum_square(Call& call) {
  NNRT_ASSIGN(const Reduction by, read(call));
  NNRT_ASSIGN(const TensorId square, is_integer(call, by.x) ? call.emit(OH_NN_OPS_MUL, {by.x, by.x})
                                                            : call.emit(OH_NN_OPS_SQUARE, {by.x}));
  return single(reduced(call, OH_NN_OPS_REDUCE_SUM, square, by, by.keep));
}

// FLOAT64 distinguishes logarithms of adjacent integers.
Result<TensorId> logarithm(Call& call, TensorId x) {
  if (!is_integer(call, x)) return call.emit(OH_NN_OPS_LOG, {x});
  NNRT_ASSIGN(const TensorId wide, call.cast(x, DType::f64));
  NNRT_ASSIGN(const TensorId log, call.emit(OH_NN_OPS_LOG, {wide}));
  return call.cast(log, call.emitter().dtype(x));
}

Result<Ids> log_sum(Call& call) {
  NNRT_ASSIGN(const Reduction by, read(call));
  NNRT_ASSIGN(const TensorId sum, reduced(call, OH_NN_OPS_REDUCE_SUM, by.x, by, by.keep));
  return single(logarithm(call, sum));
}

// Subtracts the maximum from the exponents to avoid overflow, unless it is infinite.
TensorId finite_part(Formula& f, TensorId max) {
  if (!is_float(f.dtype(max))) return max;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return f.where(f.equal(f.abs(max), kInfinity), f.number(max, 0), max);
}

// Sum of an integer and a non-negative fraction, truncated: negative sums round up.
TensorId truncated_sum(Formula& f, TensorId whole, TensorId fraction) {
  const DType dtype = f.dtype(whole);
  const TensorId low = f.cast(f.emit(OH_NN_OPS_FLOOR, {fraction}), dtype),
                 high = f.cast(f.emit(OH_NN_OPS_CEIL, {fraction}), dtype);
  if (dtype == DType::u64) return f.add(whole, low);
  return f.add(whole, f.min(high, f.max(low, f.neg(whole))));
}

Result<Ids> log_sum_exp(Call& call) {
  NNRT_ASSIGN(const Reduction by, read(call));
  if (by.none) return Ids{by.x};
  Formula f(call);
  const bool integer = is_integer(call, by.x);
  const TensorId max = f.given(reduced(call, OH_NN_OPS_REDUCE_MAX, by.x, by, true));
  const TensorId taken = finite_part(f, max);
  const TensorId below = integer ? f.neg(f.cast(f.sub(taken, by.x), DType::f32)) : f.sub(by.x, taken);
  const TensorId power = f.exp(below);
  const TensorId log = f.log(f.given(reduced(call, OH_NN_OPS_REDUCE_SUM, power, by, true)));
  const TensorId result = integer ? truncated_sum(f, taken, log) : f.add(log, taken);
  return by.keep ? Ids{result} : single(without_axes(call, result, by));
}

Result<TensorId> reversed(Call& call, TensorId x, int64_t axis) {
  Emitter& emitter = call.emitter();
  const auto entries = static_cast<size_t>(axis + 1);
  const TensorId zeros = emitter.integers(List<int64_t>(entries, 0));
  List<int64_t> step(entries, 1);
  step.back() = -1;
  const int64_t whole = (int64_t{1} << entries) - 1;
  return call.emit(OH_NN_OPS_STRIDED_SLICE, {x, zeros, zeros, emitter.integers(step)},
                   {int64_parameter(OH_NN_STRIDED_SLICE_BEGIN_MASK, whole),
                    int64_parameter(OH_NN_STRIDED_SLICE_END_MASK, whole)});
}

// The first of equal elements, or the last by searching in reverse.
Result<Ids> arg(Call& call) {
  NNRT_ASSIGN(TensorId x, call.input(0));
  NNRT_ASSIGN(const int64_t axis, call.axis(call.attributes.integer("axis", 0), call.rank(x)));
  const int64_t length = call.shape(x)[static_cast<size_t>(axis)];
  const bool last = call.attributes.integer("select_last_index", 0) != 0;
  if (last && length == kUnknown)
    return unsupported("Selecting the last of equal elements along an unknown dimension is not supported.");
  if (call.type() == "ArgMin") {
    NNRT_ASSIGN(x, in_opposite_order(call, x));
  }
  if (last) {
    NNRT_ASSIGN(x, reversed(call, x, axis));
  }
  NNRT_ASSIGN(const TensorId position,
              call.emit(OH_NN_OPS_ARG_MAX, {x},
                        {int64_parameter(OH_NN_ARG_MAX_AXIS, axis),
                         bool_parameter(OH_NN_ARG_MAX_KEEPDIMS, call.attributes.integer("keepdims", 1) != 0)},
                        {.dtypes = {DType::i64}}));
  if (!last) return Ids{position};
  return single(
      call.emit(OH_NN_OPS_SUB, {call.number_like(position, static_cast<double>(length - 1)), position}));
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
      {"ReduceMax", reduce, OH_NN_OPS_REDUCE_MAX},
      {"ReduceMean", reduce, OH_NN_OPS_REDUCE_MEAN, 1},
      {"ReduceMin", reduce, OH_NN_OPS_REDUCE_MIN},
      {"ReduceProd", reduce, OH_NN_OPS_REDUCE_PROD},
      {"ReduceSum", reduce, OH_NN_OPS_REDUCE_SUM},
      {"ReduceSumSquare", sum_square},
  };
}

}  // namespace nnrt::import::onnx
