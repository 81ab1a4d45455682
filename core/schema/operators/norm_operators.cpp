// Normalizations; the result has the input's shape.
#include "core/schema/attention_geometry.h"
#include "core/schema/geometry.h"
#include "core/schema/rules.h"
#include "core/schema/validate.h"

#include <algorithm>

namespace nnrt {
namespace {

// Each axis is in [-n, n); a scalar has the axes of [1] (R6).
Status require_axes(const NodeView& node, Attr attr) {
  if (!node.attrs().has(attr)) return {};
  const size_t rank = std::max<size_t>(node.shape(0).size(), 1);
  for (const int64_t axis : node.attrs().integers(attr)) NNRT_TRY(normalize_axis(axis, rank));
  return {};
}

Result<Shapes> softmax_shape(const NodeView& node) {
  NNRT_TRY(require_axes(node, Attr::axis));
  return same_shape(node);
}

Result<Shapes> l2_normalize_shape(const NodeView& node) {
  NNRT_TRY(require_axes(node, Attr::axes));
  const double epsilon = node.attrs().real(Attr::epsilon);
  if (!(epsilon >= 0)) return invalid("Epsilon (", epsilon, ") is below 0.");
  return same_shape(node);
}

// AddOperation has already checked this (R4).
Status check_layer_norm(const NodeView& node) {
  const Shape& input = node.shape(0);
  const int64_t begin = node.attrs().integer(Attr::begin_norm_axis);
  if (begin < 1 || begin >= int64_t(input.size())) {
    return invalid("Begin norm axis (", begin, ") is outside [1, ", input.size(), ").");
  }
  const Shape normalized(input.begin() + begin, input.end());
  for (size_t i = 1; i <= 2; ++i) {
    if (!compatible(node.shape(i), normalized)) {
      return invalid("Shape of ", describe_input(node, i), " (", to_string(node.shape(i)),
                     ") is not that of the normalized dimensions (", to_string(normalized), ").");
    }
  }
  return {};
}

Result<Shapes> layer_norm_shape(const NodeView& node) {
  NNRT_TRY(check_layer_norm(node));
  NNRT_TRY(require_axes(node, Attr::begin_param_axis));
  return same_shape(node);
}

OpSchema layer_norm() {
  ParamRow begin_norm = integer_param(Param::layer_norm_begin_norm_axis, Attr::begin_norm_axis, 1);
  ParamRow begin_param = integer_param(Param::layer_norm_begin_param_axis, Attr::begin_param_axis, 1);
  begin_norm.dtypes = begin_param.dtypes = kIndex;
  return {.op = Op::layer_norm,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "gamma", .same_as = 0},
                     {.name = "beta", .same_as = 0}},
          .params = {std::move(begin_norm), real_param(Param::layer_norm_epsilon, Attr::epsilon, 1e-7),
                     std::move(begin_param)},
          .outputs = {{.name = "output"}},
          .infer = layer_norm_shape,
          .operation_check = check_layer_norm};
}

// The only operator for which NHWC alone means channels-last (R16).
Result<Shapes> instance_norm_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 3, kMaxTensorRank));
  const Shape& input = node.shape(0);
  const int64_t channels = node.format() == Format::nhwc ? input.back() : input[1];
  for (size_t i = 1; i <= 2; ++i) NNRT_TRY(require_vector(node, i, channels, "the channel count"));
  return same_shape(node);
}

OpSchema instance_norm() {
  return {.op = Op::instance_norm,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "scale", .same_as = 0},
                     {.name = "bias", .same_as = 0}},
          .params = {real_param(Param::instance_norm_epsilon, Attr::epsilon, 0)},
          .outputs = {{.name = "output"}},
          .infer = instance_norm_shape};
}

Result<Shapes> lrn_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 4, 4));
  NNRT_TRY(require_at_least(node.attrs().integers(Attr::radius), 0, "Depth radius"));
  return same_shape(node);
}

OpSchema lrn() {
  return {.op = Op::lrn,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = kFloat}},
          .params = {integer_param(Param::lrn_depth_radius, Attr::radius, 0),
                     real_param(Param::lrn_bias, Attr::bias, 1), real_param(Param::lrn_alpha, Attr::alpha, 1),
                     real_param(Param::lrn_beta, Attr::beta, 0.5),
                     choice_param(Param::lrn_norm_region, Attr::norm_region, DType::i32, 1)},
          .outputs = {{.name = "output"}},
          .infer = lrn_shape};
}

Result<Shapes> rms_norm_shape(const NodeView& node) {
  const Shape input = with_dimension(node.shape(0));
  NNRT_ASSIGN(const size_t begin, normalize_axis(node.attrs().integer(Attr::begin_norm_axis), input.size()));
  const Shape normalized(input.begin() + std::ptrdiff_t(begin), input.end());
  if (!compatible(node.shape(1), normalized)) {
    return invalid("Shape of the gamma (", to_string(node.shape(1)),
                   ") is not that of the normalized dimensions (", to_string(normalized), ").");
  }
  return same_shape(node);
}

OpSchema rms_norm() {
  return {.op = Op::rms_norm,
          .inputs = {{.name = "input", .dtypes = kFloat}, {.name = "gamma", .same_as = 0}},
          .params = {integer_param(Param::rms_norm_begin_norm_axis, Attr::begin_norm_axis, -1),
                     real_param(Param::rms_norm_epsilon, Attr::epsilon, 1e-5)},
          .outputs = {{.name = "output"}},
          .infer = rms_norm_shape};
}

Result<Shapes> group_norm_shape(const NodeView& node) {
  NNRT_TRY(require_rank(node, 0, 3, kMaxTensorRank));
  const int64_t channels = node.shape(0)[channel_axis(node)], groups = node.attrs().integer(Attr::group);
  if (groups < 1) return invalid("The group (", groups, ") is below 1.");
  if (channels >= 0 && channels % groups != 0) {
    return invalid("The channels (", channels, ") are not divisible by the group (", groups, ").");
  }
  for (size_t i = 1; i <= 2; ++i) NNRT_TRY(require_vector(node, i, channels, "the channel count"));
  return same_shape(node);
}

OpSchema group_norm() {
  return {.op = Op::group_norm,
          .layout_dependent = true,
          .inputs = {{.name = "input", .dtypes = kFloat},
                     {.name = "scale", .same_as = 0},
                     {.name = "bias", .same_as = 0}},
          .params = {required(integer_param(Param::group_norm_group, Attr::group)),
                     real_param(Param::group_norm_epsilon, Attr::epsilon, 1e-5)},
          .outputs = {{.name = "output"}},
          .infer = group_norm_shape};
}

}  // namespace

std::vector<OpSchema> norm_rows() {
  OpSchema softmax = {.op = Op::softmax,
                      .quantized = true,
                      .inputs = {quantized_input("input")},
                      .params = {integer_param(Param::softmax_axis, Attr::axis, -1),
                                 zero_nan_param(Param::softmax_zero_nan, false)},
                      .outputs = {{.name = "output"}},
                      .infer = softmax_shape,
                      .check = check_zero_nan};
  OpSchema log_softmax = {.op = Op::log_softmax,
                          .inputs = {{.name = "input", .dtypes = kFloat | DType::f64}},
                          .params = {integer_param(Param::log_softmax_axis, Attr::axis, 0)},
                          .outputs = {{.name = "output"}},
                          .infer = softmax_shape};
  OpSchema l2_normalize = {
      .op = Op::l2_normalize,
      .inputs = {{.name = "input", .dtypes = kFloat}},
      .params = {integers_param(Param::l2_normalize_axis, Attr::axes, {1, kManyElements}),
                 real_param(Param::l2_normalize_epsilon, Attr::epsilon, 1e-6),
                 activation_param(Param::l2_normalize_activation_type)},
      .outputs = {{.name = "output"}},
      .infer = l2_normalize_shape};
  return {std::move(softmax),
          std::move(log_softmax),
          std::move(l2_normalize),
          layer_norm(),
          instance_norm(),
          lrn(),
          rms_norm(),
          group_norm()};
}

}  // namespace nnrt
