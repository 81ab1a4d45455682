// Elementwise operators with three or more operands: choices, scales and offsets.
#include "core/schema/geometry.h"
#include "core/schema/rules.h"

#include <algorithm>

namespace nnrt {
namespace {

Result<Shapes> batch_norm_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 2, 8));
  const int64_t channels = node.shape(0)[channel_axis(node)];
  for (size_t i = 1; i < node.input_count(); ++i) {
    NNRT_TRY(require_vector(node, i, channels, "the channel count"));
  }
  return same_shape(node);
}

OpSchema batch_norm() {
  return {.op = Op::batch_norm,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "scale", .same_as = 0},
                     {.name = "offset", .same_as = 0},
                     {.name = "mean", .same_as = 0},
                     {.name = "variance", .same_as = 0}},
          .params = {real_param(Param::batch_norm_epsilon, Attr::epsilon, 0.0001)},
          .outputs = {{.name = "output"}},
          .infer = batch_norm_shape};
}

// Scale and bias match the input's dimensions from the axis on, or the first few of them.
Result<Shapes> scale_shape(const NodeView& node) {
  const size_t rank = std::max<size_t>(node.shape(0).size(), 1);
  NNRT_ASSIGN(const int64_t axis, normalize_axis(node.attrs().integer(Attr::axis), rank));
  const size_t spread = std::max<size_t>(node.shape(1).size(), 1);
  if (spread > rank - size_t(axis)) {
    return invalid("Rank of the scale (", spread, ") is above the ", rank - size_t(axis),
                   " dimensions from the axis on.");
  }
  const Shape& input = node.shape(0);
  const Shape covered =
      input.empty() ? Shape{1} : Shape(input.begin() + axis, input.begin() + axis + std::ptrdiff_t(spread));
  for (size_t i = 1; i <= 2; ++i) {
    if (!compatible(node.shape(i), covered)) {
      return invalid("Shape of ", describe_input(node, i), " (", to_string(node.shape(i)),
                     ") is not that of the input from the axis on (", to_string(covered), ").");
    }
  }
  return same_shape(node);
}

OpSchema scale() {
  return {.op = Op::scale,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "scale", .same_as = 0},
                     {.name = "bias", .same_as = 0}},
          .params = {activation_param(Param::scale_activationtype),
                     required(integer_param(Param::scale_axis, Attr::axis))},
          .outputs = {{.name = "output"}},
          .infer = scale_shape};
}

Status require_equal_quantization(const NodeView& node) {
  if (node.dtype(1) != DType::i8) return {};
  const Quant& chosen = node.input(1).quant;
  if (chosen == node.input(2).quant && chosen == node.output(0).quant) return {};
  return invalid("Quantization parameters of the data tensors differ.");
}

Result<Shapes> select_shape(const NodeView& node) {
  const auto shape = unify(node.shape(1), node.shape(2));
  if (!shape) {
    return invalid("Shapes of the branches (", to_string(node.shape(1)), " and ", to_string(node.shape(2)),
                   ") differ.");
  }
  const Shape& condition = node.shape(0);
  if (compatible({}, condition)) return Shapes{*shape};
  const auto chosen = unify(*shape, condition);
  if (!chosen) {
    return invalid("Shape of the condition (", to_string(condition), ") is neither one element nor ",
                   to_string(*shape), ".");
  }
  return Shapes{*chosen};
}

OpSchema choice(Op op, InferFunction infer, CheckFunction check) {
  return {.op = op,
          .copy = true,
          .inputs = {{.name = "condition", .dtypes = DType::boolean},
                     {.name = "input1", .dtypes = kAny},
                     {.name = "input2", .same_as = 1}},
          .outputs = {{.name = "output", .same_as = 1}},
          .infer = infer,
          .check = check};
}

}  // namespace

std::vector<OpSchema> affine_rows() {
  return {batch_norm(), scale(), choice(Op::select, select_shape, require_equal_quantization),
          choice(Op::where, broadcast_shape, nullptr)};
}

}  // namespace nnrt
