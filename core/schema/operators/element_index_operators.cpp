// Elements (not slices) selected or placed by indices, and elements selected by position.
#include "core/schema/geometry.h"
#include "core/schema/operators/selections.h"
#include "core/schema/rules.h"

#include <algorithm>
#include <limits>

namespace nnrt {
namespace {

constexpr int kReductions = 5;

// A scalar operand counts as [1] (R6).
Shape at_least_vector(const Shape& shape) { return shape.empty() ? Shape{1} : shape; }

// Input 1 has indices along an axis of input 0, and no other dimension may exceed that of input 0.
Status check_positions(const NodeView& node, const Shape& data, int64_t axis) {
  NNRT_TRY(require_rank(node, 1, data.size(), data.size()));
  const Shape positions = at_least_vector(node.shape(1));
  for (size_t d = 0; d < data.size(); ++d) {
    if (int64_t(d) == axis || data[d] < 0 || positions[d] <= data[d]) continue;
    return invalid("Dimension ", d, " of the indices (", positions[d], ") is above the input's (", data[d],
                   ").");
  }
  return {};
}

// Rows of `width` indices; index k of a row indexes dimension k of `shape`, negative from the end. Only
// constants can be errors; at run time, invalid indices are skipped or give zeros.
Status check_constant_rows(const NodeView& node, const Shape& shape, size_t width) {
  const auto indices = node.input(1).is_constant() ? node.integers(1) : std::nullopt;
  if (!indices) return {};
  for (size_t i = 0; i < indices->size(); ++i) {
    const int64_t length = shape[i % width];
    const int64_t index = (*indices)[i];
    if (length >= 0 && (index < -length || index >= length)) {
      return invalid("Index (", index, ") is outside [", -length, ", ", length, ").");
    }
  }
  return {};
}

Status check_axis_of_elements(const NodeView& node) {
  const Shape data = at_least_vector(node.shape(0));
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), data.size()));
  NNRT_TRY(check_positions(node, data, axis));
  return check_constant_rows(node, {data[size_t(axis)]}, 1);
}

Result<Shapes> gather_elements_shape(const NodeView& node) {
  NNRT_TRY(check_axis_of_elements(node));
  return Shapes{node.shape(1)};
}

Status check_updates(const NodeView& node, const Shape& shape) {
  if (compatible(node.shape(2), shape)) return {};
  return invalid("The shape of the updates ", to_string(node.shape(2)), " is not ", to_string(shape), ".");
}

Result<Shapes> scatter_elements_shape(const NodeView& node) {
  NNRT_TRY(check_axis_of_elements(node));
  NNRT_TRY(check_updates(node, node.shape(1)));
  return same_shape(node);
}

Result<Shapes> scatter_nd_update_shape(const NodeView& node) {
  const Shape data = at_least_vector(node.shape(0)), indices = at_least_vector(node.shape(1));
  const int64_t width = indices.back();
  if (width == kUnknown) return same_shape(node);
  if (width < 1 || width > int64_t(data.size())) {
    return invalid("The last dimension of the indices (", width, ") is outside [1, ", data.size(), "].");
  }
  Shape updates(indices.begin(), indices.end() - 1);
  updates.insert(updates.end(), data.begin() + width, data.end());
  NNRT_TRY(check_updates(node, updates));
  NNRT_TRY(check_constant_rows(node, data, size_t(width)));
  return same_shape(node);
}

// Quantized values cannot be combined or compared directly.
Status check_reduction(const NodeView& node) {
  if (node.attrs().integer(Attr::reduction) == 0) return {};
  if (!kOrdered.contains(node.dtype())) {
    return unsupported("Updates of ", name(node.dtype()), " cannot be combined.");
  }
  return refuse_quantized(node);
}

OpSchema scatter(Op op, std::vector<ParamRow> params, InferFunction infer) {
  return {.op = op,
          .copy = true,
          .inputs = {{.name = "input", .dtypes = kAny},
                     {.name = "indices", .dtypes = kIndex},
                     {.name = "updates", .same_as = 0}},
          .params = std::move(params),
          .outputs = {{.name = "output"}},
          .infer = infer,
          .check = check_reduction};
}

OpSchema gather_elements() {
  return {.op = Op::gather_elements,
          .copy = true,
          .inputs = {{.name = "input", .dtypes = kAny}, {.name = "indices", .dtypes = kIndex}},
          .params = {integer_param(Param::gather_elements_axis, Attr::axis, 0)},
          .outputs = {{.name = "output"}},
          .infer = gather_elements_shape};
}

Result<Shapes> cum_sum_shape(const NodeView& node) {
  NNRT_TRY(normalize_axis(node.attrs().integer(Attr::axis), std::max<size_t>(node.shape(0).size(), 1)));
  return same_shape(node);
}

OpSchema cum_sum() {
  return {.op = Op::cum_sum,
          .inputs = {{.name = "input", .dtypes = kFloat | kIndex | DTypeSet{DType::u64, DType::f64}}},
          .params = {integer_param(Param::cum_sum_axis, Attr::axis, 0),
                     flag_param(Param::cum_sum_exclusive, Attr::exclusive),
                     flag_param(Param::cum_sum_reverse, Attr::reverse)},
          .outputs = {{.name = "output"}},
          .infer = cum_sum_shape};
}

Result<Shapes> trilu_shape(const NodeView& node) {
  if (node.shape(0).size() < 2)
    return invalid("The rank of the input (", node.shape(0).size(), ") is below 2.");
  if (node.input_count() > 1) NNRT_TRY(require_one_element(node, 1));
  return same_shape(node);
}

OpSchema trilu() {
  return {.op = Op::trilu,
          .copy = true,
          .inputs = {{.name = "input", .dtypes = kAny}, optional(value_input("diagonal"))},
          .params = {flag_param(Param::trilu_upper, Attr::upper, true),
                     integer_param(Param::trilu_diagonal, Attr::diagonal, 0)},
          .outputs = {{.name = "output"}},
          .infer = trilu_shape};
}

// An input of any dtype whose contents determine shapes (R5).
InputRow counted_input(std::string_view name, DTypeSet dtypes) {
  return {.name = name, .dtypes = dtypes, .value = true};
}

Result<Shapes> non_zero_shape(const NodeView& node) {
  const auto rank = std::max<int64_t>(int64_t(node.shape(0).size()), 1);
  if (node.data(0) == nullptr || !is_static(node.shape(0))) return Shapes{{rank, kUnknown}};
  return Shapes{{rank, int64_t(non_zero_elements(node).size())}};
}

OpSchema non_zero() {
  return {.op = Op::non_zero,
          .inputs = {counted_input("input", kOrdered | DType::boolean)},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = kIndex}},
          .infer = non_zero_shape,
          .check = refuse_quantized};
}

Result<Shapes> unique_shapes(const NodeView& node) {
  Shape shape = at_least_vector(node.shape(0));
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), shape.size()));
  int64_t& length = shape[size_t(axis)];
  const int64_t slices = length;
  const bool is_known = node.data(0) != nullptr && is_static(shape);
  length = is_known ? int64_t(unique_slices(node).first.size()) : kUnknown;
  return Shapes{shape, {length}, {slices}, {length}};
}

OpSchema unique() {
  return {.op = Op::unique,
          .inputs = {counted_input("input", kAny)},
          .params = {integer_param(Param::unique_axis, Attr::axis, 0),
                     flag_param(Param::unique_sorted, Attr::sorted, true)},
          .outputs = {{.name = "output"},
                      {.name = "indices", .rule = DTypeRule::fixed, .dtypes = DType::i64},
                      {.name = "inverse", .rule = DTypeRule::fixed, .dtypes = DType::i64},
                      {.name = "counts", .rule = DTypeRule::fixed, .dtypes = DType::i64}},
          .infer = unique_shapes,
          .check = refuse_quantized};
}

Result<Shapes> non_max_suppression_shape(const NodeView& node) {
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(require_rank(node, i, 3, 3));
  NNRT_TRY(require_dimension(node, 0, 2, 4, "the four numbers of a box"));
  NNRT_TRY(require_dimension(node, 1, 0, node.shape(0)[0], "the number of images"));
  NNRT_TRY(require_dimension(node, 1, 2, node.shape(0)[1], "the number of boxes"));
  for (size_t i = 2; i < node.input_count(); ++i) NNRT_TRY(require_one_element(node, i));
  if (node.input_count() == 2) {
    if (!node.attrs().has(Attr::max_output))
      return invalid("OH_NN_NON_MAX_SUPPRESSION_MAX_OUTPUT is absent.");
    const int64_t max = node.attrs().integer(Attr::max_output);
    if (max < 1) return invalid("The number of boxes (", max, ") is below 1.");
  }
  for (size_t i = 0; i < node.input_count(); ++i)
    if (node.data(i) == nullptr || !is_static(node.shape(i))) return Shapes{{kUnknown, 3}};
  return Shapes{{int64_t(selected_boxes(node).size()), 3}};
}

OpSchema non_max_suppression() {
  return {.op = Op::non_max_suppression,
          .inputs = {counted_input("boxes", kFloat),
                     {.name = "scores", .same_as = 0, .value = true},
                     optional(value_input("max_output")),
                     optional(counted_input("iou_threshold", kFloat)),
                     optional(counted_input("score_threshold", kFloat))},
          .params = {integer_param(Param::non_max_suppression_max_output, Attr::max_output),
                     real_param(Param::non_max_suppression_iou_threshold, Attr::iou_threshold, 0),
                     real_param(Param::non_max_suppression_score_threshold, Attr::score_threshold,
                                -std::numeric_limits<double>::infinity()),
                     flag_param(Param::non_max_suppression_center_point_box, Attr::center_point_box)},
          .outputs = {{.name = "output", .rule = DTypeRule::fixed, .dtypes = kIndex}},
          .infer = non_max_suppression_shape};
}

ParamRow reduction_param(Param type) { return choice_param(type, Attr::reduction, DType::i8, kReductions); }

}  // namespace

std::vector<OpSchema> element_index_rows() {
  return {gather_elements(),
          scatter(Op::scatter_elements,
                  {integer_param(Param::scatter_elements_axis, Attr::axis, 0),
                   reduction_param(Param::scatter_elements_reduction)},
                  scatter_elements_shape),
          scatter(Op::scatter_nd_update, {reduction_param(Param::scatter_nd_update_reduction)},
                  scatter_nd_update_shape),
          cum_sum(),
          trilu(),
          non_zero(),
          non_max_suppression(),
          unique()};
}

}  // namespace nnrt
