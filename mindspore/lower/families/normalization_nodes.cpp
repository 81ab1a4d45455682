// Normalizations and softmax.
#include "core/base/text.h"
#include "mindspore/lower/constants.h"
#include "mindspore/lower/node_lowering.h"

#include <algorithm>

namespace nnrt::mindspore {
namespace {

AttrSetting epsilon_of(const Lowering& op) { return {Attr::epsilon, op.primitive.real("epsilon")}; }

void lower_softmax(Lowering& op) {
  const Integers axes = op.primitive.integers("axis");
  if (axes.size() > 1) op.refuse("Softmax over ", axes.size(), " axes is not supported.");
  op.emit_result({op.in(0)}, {{Attr::axis, axes.empty() ? int64_t{-1} : axes[0]}});
}

// Channels are last, for any rank: other ranks than 2 and 4 are seen as a matrix.
void lower_batch_norm(Lowering& op, List<Value> inputs) {
  const Value x = inputs[0];
  if (x.rank() == 2 || x.rank() == 4)
    return op.emit_results(Op::batch_norm, std::move(inputs), {epsilon_of(op)});
  const auto count = element_count(x.shape);
  if (!count || x.rank() == 0 || x.shape.back() < 1) op.refuse("The shape of the data is not known.");
  inputs[0] = reshape(op.graph, x, {*count / x.shape.back(), x.shape.back()});
  const Value flat = op.emit(Op::batch_norm, std::move(inputs), {epsilon_of(op)});
  op.set(0, reshape(op.graph, flat, x.shape));
}

void lower_fused_batch_norm(Lowering& op) {
  List<Value> inputs;
  for (size_t i = 0; i < op.input_count(); ++i) inputs.push_back(op.real_in(i));
  lower_batch_norm(op, std::move(inputs));
}

// Without scale and offset.
void lower_plain_batch_norm(Lowering& op) {
  const Value x = op.real_in(0), mean = op.real_in(1), variance = op.real_in(2);
  const auto channels = element_count(mean.shape);
  if (!channels || *channels < 1) op.refuse("The number of channels is not known.");
  lower_batch_norm(
      op, {x, ones(op.graph, x.dtype, *channels), zeros(op.graph, x.dtype, *channels), mean, variance});
}

int64_t normalized_axis(int64_t axis, size_t rank) { return axis < 0 ? axis + int64_t(rank) : axis; }

void lower_layer_norm(Lowering& op) {
  Value x = op.real_in(0);
  const int64_t begin = normalized_axis(op.primitive.integer("begin_norm_axis"), x.rank());
  if (begin < 0 || begin >= int64_t(x.rank()))
    op.fail(invalid("Begin norm axis (", begin, ") is outside [0, ", x.rank(), ")."));
  const Shape covered(x.shape.begin() + begin, x.shape.end()), shape = x.shape;
  const auto count = element_count(covered);
  const auto parameter = [&](size_t i) {
    if (!op.has(i)) {
      if (!count) op.refuse("The normalized dimensions are not known.");
      const Value made = i == 1 ? ones(op.graph, x.dtype, *count) : zeros(op.graph, x.dtype, *count);
      return reshape(op.graph, made, covered);
    }
    const Value given = op.real_in(i);
    if (given.shape == covered || !count || element_count(given.shape) != count) return given;
    return reshape(op.graph, given, covered);
  };
  const Value gamma = parameter(1), beta = parameter(2);
  if (begin > 0)
    return op.emit_results(Op::layer_norm, {x, gamma, beta},
                           {epsilon_of(op), {Attr::begin_norm_axis, begin}});
  // OH_NN's axis is at least 1.
  x = op.emit(Op::unsqueeze, {x}, {{Attr::axis, Integers{0}}});
  x = op.emit(Op::layer_norm, {x, gamma, beta}, {epsilon_of(op), {Attr::begin_norm_axis, 1}});
  op.set(0, op.emit(Op::squeeze, {x}, {{Attr::axis, Integers{0}}}));
}

// The tensor's format says where the channels are. OH_NN reads rank 3 as [N, C, length].
void lower_instance_norm(Lowering& op) {
  const Value x = op.real_in(0);
  const bool is_last = op.source(0).format != kNchw;
  const Settings settings{epsilon_of(op)};
  const auto norm = [&](const Value& data) {
    return op.emit(Op::instance_norm, {data, op.real_in(1), op.real_in(2)}, settings);
  };
  if (x.rank() == 4 && is_last) return op.emit_results(Op::instance_norm, op.inputs(), settings);
  if (x.rank() == 4)
    return op.set(0, transpose(op.graph, norm(transpose(op.graph, x, {0, 2, 3, 1})), {0, 3, 1, 2}));
  if (x.rank() == 3 && is_last)
    return op.set(0, transpose(op.graph, norm(transpose(op.graph, x, {0, 2, 1})), {0, 2, 1}));
  if (is_last) {
    const auto count = element_count(x.shape);
    if (!count || *count == 0) op.refuse("The shape of the data is not known.");
    const int64_t cells = *count / x.shape.front() / x.shape.back();
    const Value image = reshape(op.graph, x, {x.shape.front(), cells, 1, x.shape.back()});
    return op.set(0, reshape(op.graph, norm(image), x.shape));
  }
  op.emit_results(Op::instance_norm, op.inputs(), settings);
}

// The data is [N, C, ...].
void lower_group_norm(Lowering& op) {
  const Value x = op.real_in(0);
  if (x.rank() != 4) op.refuse("Group norm of ", x.rank(), " dimensions is not supported.");
  const Value data = transpose(op.graph, x, {0, 2, 3, 1});
  const Value normed = op.emit(Op::group_norm, {data, op.real_in(1), op.real_in(2)}, op.settings());
  op.set(0, transpose(op.graph, normed, {0, 3, 1, 2}));
}

void lower_l2_normalize(Lowering& op) { op.emit_activated(Op::l2_normalize, {op.in(0)}, op.settings()); }

// x / |x|, with the norm 1 or 2.
void lower_lp_normalize(Lowering& op) {
  const int64_t p = op.primitive.integer("p"), axis = op.primitive.integer("axis");
  const Value x = op.real_in(0);
  if (p != 1 && p != 2) op.refuse("The norm (", p, ") is neither 1 nor 2.");
  const Value axes = op.graph.integers({axis});
  const Settings keep{{Attr::keep_dims, 1}};
  const Value norm = p == 2 ? op.emit(Op::reduce_l2, {x, axes}, keep)
                            : op.emit(Op::reduce_sum, {op.emit(Op::abs, {x}), axes}, keep);
  op.set(0, op.emit(Op::div, {x, norm}));
}

void lower_lrn(Lowering& op) {
  if (const std::string region = op.primitive.text("norm_region");
      !region.empty() && region != "ACROSS_CHANNELS")
    op.refuse("The region ", region, " is not supported.");
  lower_plain(op);
}

// Scale and offset have the data's dimensions from the axis on, or one element.
void lower_scale(Lowering& op) {
  const Value x = op.real_in(0), scale = op.real_in(1);
  const auto count = element_count(scale.shape);
  if (count == 1 && x.rank() > 0 && element_count(x.shape) != 1) {
    if (!op.has(2)) return op.emit_activated(Op::mul, {x, scale});
    return op.emit_activated(Op::add, {op.emit(Op::mul, {x, scale}), op.real_in(2)});
  }
  if (!count) op.refuse("The shape of the scale is not known.");
  const Value offset =
      op.has(2) ? op.real_in(2) : reshape(op.graph, zeros(op.graph, x.dtype, *count), or_one(scale.shape));
  op.emit_activated(Op::scale, {x, scale, offset}, op.settings());
}

}  // namespace

std::span<const LoweringRow> normalization_lowerings() {
  static constexpr LoweringRow kRows[] = {
      {PrimitiveType::batch_norm, 3, 3, lower_plain_batch_norm, Op::batch_norm},
      {PrimitiveType::fused_batch_norm, 5, 5, lower_fused_batch_norm, Op::batch_norm},
      {PrimitiveType::group_norm_fusion, 3, 3, lower_group_norm, Op::group_norm},
      {PrimitiveType::instance_norm, 3, 3, lower_instance_norm, Op::instance_norm},
      {PrimitiveType::l2_normalize_fusion, 1, 1, lower_l2_normalize, Op::l2_normalize},
      {PrimitiveType::layer_norm_fusion, 1, 3, lower_layer_norm, Op::layer_norm},
      {PrimitiveType::log_softmax, 1, 1, lower_plain, Op::log_softmax},
      {PrimitiveType::lp_normalization, 1, 1, lower_lp_normalize},
      {PrimitiveType::lrn, 1, 1, lower_lrn, Op::lrn},
      {PrimitiveType::scale_fusion, 2, 3, lower_scale, Op::scale},
      {PrimitiveType::softmax, 1, 1, lower_softmax, Op::softmax},
  };
  return kRows;
}

}  // namespace nnrt::mindspore
