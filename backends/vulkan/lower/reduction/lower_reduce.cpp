#include "backends/vulkan/lower/reduction/lower_reduce.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/elementwise/lower_cast.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/reduction/lower_top_k.h"
#include "backends/vulkan/lower/reduction/norm_rows.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <cmath>

namespace nnrt::vulkan {
namespace {

Reduce reduce_of(Op op) {
  switch (op) {
    case Op::reduce_prod: return Reduce::product;
    case Op::reduce_max: return Reduce::maximum;
    case Op::reduce_min: return Reduce::minimum;
    case Op::reduce_all:
    case Op::all: return Reduce::all;
    default: return Reduce::sum;
  }
}

// Groups adjacent reduced dimensions, from last to first, and returns the (outer, length, inner) view for
// each. Never empty.
std::vector<ReductionShape> reductions_of(const Shape& shape, const std::vector<size_t>& axes) {
  struct Run {
    uint32_t length;
    bool reduced;
  };
  std::vector<Run> runs;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const bool reduced = std::ranges::binary_search(axes, d);
    if (runs.empty() || runs.back().reduced != reduced) runs.push_back({1, reduced});
    runs.back().length *= uint32_t(shape[d]);
  }
  std::vector<ReductionShape> reductions;
  uint32_t inner = 1;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    uint32_t outer = 1;
    for (auto before = run + 1; before != runs.rend(); ++before) outer *= before->length;
    if (run->reduced) {
      reductions.push_back({outer, run->length, inner});
    } else {
      inner *= run->length;
    }
  }
  if (reductions.empty()) reductions.push_back({inner, 1, 1});
  return reductions;
}

// R19: only with REDUCE_TO_END, and only if not close to 0.
float coefficient_of(const Attrs& attrs) {
  if (!attrs.has(Attr::reduce_to_end) || !attrs.flag(Attr::reduce_to_end)) return 1;
  const double coefficient = attrs.real(Attr::coeff);
  return std::abs(coefficient) > 1e-5 ? float(coefficient) : 1;
}

Refusal refuse_reduce(const NodeView& node, const DevicePlan&) {
  if (reduce_of(node.op()) == Reduce::all) return refuse_cast(node.dtype(), DType::boolean);
  if (kIndex.contains(node.dtype())) return std::nullopt;
  return refuse_conversion(node);
}

Status reduce(const LoweringContext& context, Buffer from, DType dtype, Buffer result) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(0)));
  NNRT_ASSIGN(const std::vector<size_t> axes, reduced_axes(node));
  const std::vector<ReductionShape> reductions = reductions_of(node.shape(0), axes);
  Reduction reduction{.op = reduce_of(node.op()), .dtype = dtype};
  reduction.squares = node.op() == Op::reduce_l2;
  for (size_t i = 0; i + 1 < reductions.size(); ++i) {
    const Buffer to = context.sink.scratch(size_t(reductions[i].results()) * size_of(dtype));
    NNRT_TRY(add_reduction(context, reduction, reductions[i], from, to));
    reduction.squares = false;
    from = to;
  }
  const ReductionShape& last = reductions.back();
  reduction.root = node.op() == Op::reduce_l2;
  if (node.op() == Op::reduce_mean) reduction.divisor = count / last.results();
  if (reduction.op != Reduce::all) reduction.factor = coefficient_of(node.attrs());
  return add_reduction(context, reduction, last, from, result);
}

// ALL on any dtype tests elements for not 0 (R14).
Status lower_all(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(0)));
  if (node.dtype() == DType::boolean)
    return reduce(context, context.input(0), DType::boolean, context.output());
  const Buffer truths = context.sink.scratch(count);
  add_cast(context, context.input(0), node.dtype(), truths, DType::boolean, count);
  return reduce(context, truths, DType::boolean, context.output());
}

// The mean of INT32 needs a sum wider than 32 bits.
Status lower_integer_mean(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t results, count_of(node.output_shape()));
  const Buffer wide = context.sink.scratch(count * size_of(DType::i64));
  const Buffer mean = context.sink.scratch(results * size_of(DType::i64));
  add_cast(context, context.input(0), DType::i32, wide, DType::i64, count);
  NNRT_TRY(reduce(context, wide, DType::i64, mean));
  add_cast(context, mean, DType::i64, context.output(), DType::i32, results);
  return {};
}

Status lower_reduce(const LoweringContext& context) {
  const NodeView& node = context.node;
  if (node.op() == Op::reduce_mean && node.dtype() == DType::i32) return lower_integer_mean(context);
  return reduce(context, context.input(0), node.dtype(), context.output());
}

struct ArgMaxPush {
  uint32_t count = 0, length = 0, inner = 0;
};

// For more than one element the GPU selects whole words.
Refusal refuse_selection(DType dtype) {
  constexpr DTypeSet kSelected = kFloat | DTypeSet{DType::i32, DType::i8};
  if (kSelected.contains(dtype)) return std::nullopt;
  return "The largest of " + std::string(name(dtype)) + " elements cannot be selected on the GPU.";
}

Refusal refuse_arg_max(const NodeView& node, const DevicePlan&) {
  if (node.attrs().integer(Attr::top_k) != 1) return refuse_selection(node.dtype());
  if (node.dtype() == DType::f64)
    return not_computed(node.dtype());  // FLOAT32 has ties where FLOAT64 has none
  return is_converted(node.dtype()) ? std::nullopt : refuse_dtype("arg_max", node.dtype());
}

Result<ReductionShape> arg_max_shape(const NodeView& node) {
  const Shape& shape = node.shape(0);
  NNRT_TRY(count_of(shape));
  NNRT_ASSIGN(const int64_t axis,
              normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(shape.size(), 1)));
  return reduction_shape(shape, size_t(axis), size_t(axis) + 1);
}

struct ArgMaxWork {
  ReductionShape shape;
  uint32_t result = 0;  // what to store, as numbered in the shader
};

RowVariant arg_max_rows(const LoweringContext& context, const ArgMaxWork& work) {
  return {variant("arg_max", context.node.dtype()),
          {work.shape.results(), work.shape.length, work.shape.inner}};
}

void add_arg_max(const LoweringContext& context, const ArgMaxWork& work, RowKind kind) {
  const RowVariant variant = arg_max_rows(context, work);
  const Rows& rows = variant.rows;
  add_rows(context, variant, kind, 1,
           {.shader = {},
            .constants = {work.result},
            .push = Push(ArgMaxPush{rows.count, rows.length, rows.inner}),
            .buffers = {context.input(0), context.output()}});
}

template <RowKind kind>
constexpr Kernel<ArgMaxWork> arg_max_kernel(std::string_view name) {
  return {name,
          [](const LoweringContext& context, const ArgMaxWork& work) {
            return why_not_rows(context, arg_max_rows(context, work), kind);
          },
          [](const LoweringContext& context, const ArgMaxWork& work) {
            add_arg_max(context, work, kind);
            return Status();
          },
          View::none,
          [](const LoweringContext& context, const ArgMaxWork& work) {
            return iterations_of_rows(context, arg_max_rows(context, work), kind, 1);
          }};
}

constexpr Kernel<ArgMaxWork> kArgMaxes[] = {
    arg_max_kernel<RowKind::subgroups>("arg_max_by_subgroups"),
    arg_max_kernel<RowKind::group>("arg_max_by_group"),
    arg_max_kernel<RowKind::alone>("arg_max_by_row"),
};

constexpr std::span<const Kernel<ArgMaxWork>> kArgMaxList(kArgMaxes);

Status lower_one_largest(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const ReductionShape shape, arg_max_shape(node));
  enum Result : uint32_t { value, int32, int64 };
  const Result result = node.attrs().flag(Attr::out_max_value) ? value
                        : node.output(0).dtype == DType::i64   ? int64
                                                               : int32;
  return lower_by_list(kArgMaxList, context, ArgMaxWork{shape, result});
}

Status lower_arg_max(const LoweringContext& context) {
  const NodeView& node = context.node;
  const int64_t k = node.attrs().integer(Attr::top_k);
  if (k == 1) return via_f32<lower_one_largest>(context);
  NNRT_ASSIGN(const ReductionShape shape, arg_max_shape(node));
  Selection selection{.x = context.input(0), .dtype = node.dtype(), .shape = shape, .k = uint32_t(k)};
  if (node.attrs().flag(Attr::out_max_value)) {
    selection.values = context.output();
  } else {
    selection.indices = context.output();
    selection.index_dtype = node.output(0).dtype;
  }
  return add_selection(context, selection);
}

Refusal refuse_top_k(const NodeView& node, const DevicePlan&) {
  if (!node.attrs().is_set(Attr::last_first)) return refuse_selection(node.dtype());
  return "The GPU cannot select the last of equal elements.";
}

constexpr Lowering kReduce{refuse_reduce, via_f32<lower_reduce>};
constexpr Lowering kAll{refuse_reduce, lower_all};
constexpr LoweringRow kReduceLowerings[] = {
    {Op::reduce_mean, kReduce},
    {Op::reduce_sum, kReduce},
    {Op::reduce_max, kReduce},
    {Op::reduce_min, kReduce},
    {Op::reduce_prod, kReduce},
    {Op::reduce_l2, kReduce},
    {Op::reduce_all, kAll},
    {Op::all, kAll},
    {Op::arg_max, {refuse_arg_max, lower_arg_max}},
    {Op::cum_sum, {refuse_cum_sum, lower_cum_sum}},
    {Op::dynamic_quantize, {refuse_dynamic_quantize, lower_dynamic_quantize}},
    {Op::top_k, {refuse_top_k, lower_top_k}},
};

}  // namespace

std::span<const LoweringRow> reduce_lowerings() { return kReduceLowerings; }

std::vector<std::string_view> arg_max_kernels() { return names_of(kArgMaxList); }

}  // namespace nnrt::vulkan
