// Elements selected or placed by indices (R20).
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

#include <algorithm>

namespace nnrt {
namespace {

constexpr InputRow indices_input(std::string_view name) { return {.name = name, .dtypes = kIndex}; }

// Rows of `width` indices; index k of a row indexes dimension k of `shape`. Only constants can be errors; at
// run time, invalid indices are skipped or give zeros.
Status check_constant_rows(const NodeView& node, size_t input, size_t width, const Shape& shape) {
  const auto indices = node.input(input).is_constant() ? node.integers(input) : std::nullopt;
  if (!indices) return {};
  for (size_t i = 0; i < indices->size(); ++i) {
    const int64_t length = shape[i % width];
    const int64_t index = (*indices)[i];
    if (length >= 0 && (index < 0 || index >= length)) {
      return invalid("Index (", index, ") is outside [0, ", length, ").");
    }
  }
  return {};
}

Shape gathered(const Shape& indices, size_t rank, const Shape& input, size_t kept_from) {
  Shape shape(indices.begin(), indices.begin() + std::ptrdiff_t(rank));
  shape.insert(shape.end(), input.begin() + std::ptrdiff_t(kept_from), input.end());
  return shape;
}

Result<Shapes> gather_shape(const NodeView& node) {
  NNRT_TRY(require_one_element(node, 2));
  const auto given = node.integers(2);
  if (!given) return unknown_shapes(node);
  const Shape input = node.shape(0).empty() ? Shape{1} : node.shape(0);
  NNRT_ASSIGN(const int64_t axis, normalize_axis(given->at(0), input.size()));
  const int64_t length = input[size_t(axis)];
  if (node.input(1).is_constant() && length >= 0) {
    for (const int64_t index : node.integers(1).value_or(std::vector<int64_t>())) {
      if (index < -length || index >= length) {
        return invalid("Index (", index, ") is outside [", -length, ", ", length, ").");
      }
    }
  }
  Shape output(input.begin(), input.begin() + axis);
  const Shape inner = gathered(node.shape(1), node.shape(1).size(), input, size_t(axis) + 1);
  output.insert(output.end(), inner.begin(), inner.end());
  return Shapes{output};
}

OpSchema gather() {
  return {.op = Op::gather,
          .copy = true,
          .inputs = {{.name = "input", .dtypes = kAny}, indices_input("inputIndices"), value_input("axis")},
          .outputs = {{.name = "output"}},
          .infer = gather_shape};
}

// The last dimension of the indices, which must be known, in [1, max].
Result<size_t> index_width(const Shape& indices, size_t max) {
  const int64_t width = indices.back();
  if (width >= 1 && width <= int64_t(max)) return size_t(width);
  return invalid("The last dimension of the indices (", width, ") is outside [1, ", max, "].");
}

Result<Shapes> gather_nd_shape(const NodeView& node) {
  const Shape input = node.shape(0).empty() ? Shape{1} : node.shape(0);
  const Shape indices = node.shape(1).empty() ? Shape{1} : node.shape(1);
  if (indices.back() == kUnknown) return unknown_shapes(node);
  NNRT_ASSIGN(const size_t width, index_width(indices, input.size()));
  NNRT_TRY(check_constant_rows(node, 1, width, input));
  return Shapes{gathered(indices, indices.size() - 1, input, width)};
}

OpSchema gather_nd() {
  return {.op = Op::gather_nd,
          .copy = true,
          .inputs = {{.name = "input", .dtypes = kAny}, indices_input("indices")},
          .outputs = {{.name = "output"}},
          .infer = gather_nd_shape};
}

Result<Shapes> scatter_nd_shape(const NodeView& node) {
  NNRT_ASSIGN(const std::optional<Shape> output, spelled_shape(node, 2));
  const Shape& indices = node.shape(0);
  if (indices.size() < 2) return invalid("The rank of the indices (", indices.size(), ") is below 2.");
  if (!output || indices.back() == kUnknown) return output ? Shapes{*output} : unknown_shapes(node);
  NNRT_ASSIGN(const size_t width, index_width(indices, output->size()));
  const Shape updates = gathered(indices, indices.size() - 1, *output, width);
  if (!compatible(node.shape(1), updates)) {
    return invalid("The shape of the updates ", to_string(node.shape(1)), " is not ", to_string(updates),
                   ".");
  }
  NNRT_TRY(check_constant_rows(node, 0, width, *output));
  return Shapes{*output};
}

Result<Shapes> sparse_to_dense_shape(const NodeView& node) {
  NNRT_ASSIGN(const std::optional<Shape> output, spelled_shape(node, 2));
  NNRT_TRY(require_rank(node, 0, 2, 2));
  NNRT_TRY(require_rank(node, 1, 1, 1));
  const Shape& indices = node.shape(0);
  if (!compatible({1}, node.shape(1))) NNRT_TRY(require_vector(node, 1, indices[0], "the number of indices"));
  if (!output) return unknown_shapes(node);
  NNRT_TRY(require_dimension(node, 0, 1, int64_t(output->size()), "the length of the shape"));
  NNRT_TRY(check_constant_rows(node, 0, output->size(), *output));
  return Shapes{*output};
}

OpSchema scatter(Op op, std::string_view values, std::string_view shape, InferFunction infer) {
  return {.op = op,
          .copy = true,
          .inputs = {indices_input("indices"), {.name = values, .dtypes = kAny}, value_input(shape)},
          .outputs = {{.name = "output", .same_as = 1}},
          .infer = infer};
}

Result<Shapes> one_hot_shape(const NodeView& node) {
  for (size_t i = 1; i <= 3; ++i) NNRT_TRY(require_one_element(node, i));
  const Shape indices = node.shape(0).empty() ? Shape{1} : node.shape(0);
  const int64_t rank = int64_t(indices.size());
  const int64_t axis = node.attrs().integer(Attr::axis);
  if (axis < -1 || axis > rank) return invalid("Axis (", axis, ") is outside [-1, ", rank, "].");
  const auto depth = node.integers(1);
  if (depth && depth->at(0) < 1) return invalid("The depth (", depth->at(0), ") is below 1.");
  Shape output = indices;
  output.insert(output.begin() + (axis < 0 ? rank : axis), depth ? depth->at(0) : kUnknown);
  return Shapes{output};
}

OpSchema one_hot() {
  return {.op = Op::one_hot,
          .inputs = {indices_input("indices"),
                     value_input("depth"),
                     {.name = "onValue", .dtypes = kAny},
                     {.name = "offValue", .same_as = 2}},
          .params = {integer_param(Param::one_hot_axis, Attr::axis, -1)},
          .outputs = {{.name = "output", .same_as = 2}},
          .infer = one_hot_shape,
          .check = refuse_quantized};
}

Result<Shapes> top_k_shape(const NodeView& node) {
  NNRT_TRY(require_one_element(node, 1));
  Shape output = node.shape(0).empty() ? Shape{1} : node.shape(0);
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), output.size()));
  const auto k = node.integers(1);
  int64_t& length = output[size_t(axis)];
  const int64_t max = length < 0 ? std::numeric_limits<int32_t>::max() : length;
  if (k && (k->at(0) < 1 || k->at(0) > max)) return invalid("k (", k->at(0), ") is outside [1, ", max, "].");
  length = k ? k->at(0) : kUnknown;
  return Shapes{output, output};
}

// Quantized values are compared and copied without conversion.
Status check_equal_quantization(const NodeView& node) {
  if (node.input(0).quant == node.output(0).quant) return {};
  return invalid("The quantization parameters of the input and of the first output differ.");
}

OpSchema top_k() {
  ParamRow axis = integer_param(Param::top_k_axis, Attr::axis, -1);
  axis.dtypes = kIndex;
  return {.op = Op::top_k,
          .inputs = {{.name = "input", .dtypes = kOrdered}, value_input("k")},
          .params = {flag_param(Param::top_k_sorted, Attr::sorted, true), axis,
                     flag_param(Param::top_k_last_first, Attr::last_first)},
          .outputs = {{.name = "output0"}, {.name = "output1", .rule = DTypeRule::fixed, .dtypes = kIndex}},
          .infer = top_k_shape,
          .check = check_equal_quantization};
}

}  // namespace

std::vector<OpSchema> index_rows() {
  return {gather(),
          gather_nd(),
          scatter(Op::scatter_nd, "updates", "shape", scatter_nd_shape),
          scatter(Op::sparse_to_dense, "values", "sparseShape", sparse_to_dense_shape),
          one_hot(),
          top_k()};
}

}  // namespace nnrt
