#include "backends/vulkan/lower/int8/int8_operands.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "core/base/text.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kColumnUnit = 4;  // results per word

WhyNot why_not_channels(const NodeView& node, uint32_t unit) {
  const uint32_t groups = groups_of(node);
  const int64_t in = node.shape(0)[3] / groups, out = node.shape(1)[0] / groups;
  if (in % unit == 0 && out % kColumnUnit == 0) return {};
  return {"The channels per group ({} to {}) are not multiples of {} and {}.", in, out, unit, kColumnUnit};
}

Result<Int8Work> convolution(const NodeView& node) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  NNRT_TRY(check_spatial(spatial));
  Int8Work work;
  work.groups = groups_of(node);
  work.out = size2(spatial.out);
  work.in = size2(spatial.in);
  work.pixels = uint32_t(node.shape(0)[0]) * work.out[0] * work.out[1];
  work.pixel = uint32_t(node.shape(0)[3]);
  work.group = work.pixel / work.groups;
  work.columns = uint32_t(node.shape(1)[0]) / work.groups;
  work.spatial = push_of(spatial);
  return work;
}

Collapsed batch_of(const MatMul& shape) {
  return collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
}

WhyNot why_not_matmul(const NodeView& node, const MatMul& shape, uint32_t unit) {
  if (shape.inner % unit != 0 || shape.columns % kColumnUnit != 0) {
    return {"The inner dimension ({}) and columns ({}) are not multiples of {} and {}.", shape.inner,
            shape.columns, unit, kColumnUnit};
  }
  if (shape.transpose_a || (!shape.transpose_b && !node.input(1).is_constant()))
    return "An operand is not contiguous along the inner dimension.";
  return batch_of(shape).shape.size() > 1 ? "Its batch dimensions are broadcast." : WhyNot();
}

Result<Int8Work> product_of(const NodeView& node) {
  NNRT_ASSIGN(MatMul unfolded, matmul_of(node));
  const MatMul shape = fold_batch(std::move(unfolded));
  const Collapsed batch = batch_of(shape);
  Int8Work work;
  work.transposes_weight = !shape.transpose_b;
  work.pixels = uint32_t(shape.rows);
  work.pixel = work.group = uint32_t(shape.inner);
  work.columns = uint32_t(shape.columns);
  work.matrices = uint32_t(batch.shape.back());
  work.a_matrix = uint32_t(batch.strides[0].back()) * work.pixels * work.pixel;
  work.b_matrix = uint32_t(batch.strides[1].back()) * work.columns * work.pixel;
  work.y_matrix = work.pixels * work.columns;
  return work;
}

WhyNot why_not_shapes(const NodeView& node, uint32_t unit) {
  const auto counts = [](const Shape& shape) { return count_of(shape).ok(); };
  if (!counts(node.shape(0)) || !counts(node.shape(1)) || !counts(node.output_shape()))
    return "A tensor has more elements than a kernel can index.";
  if (node.op() == Op::conv2d) {
    const auto spatial = spatial_params(node);
    if (!spatial.ok() || !check_spatial(spatial.value()).ok()) return "Its kernel is too large.";
    return why_not_channels(node, unit);
  }
  const auto shape = matmul_of(node);
  return shape.ok() ? why_not_matmul(node, shape.value(), unit) : "Its shapes do not match.";
}

bool has_bias(const NodeView& node) {
  const bool ignored = node.attrs().has(Attr::has_bias) && !node.attrs().flag(Attr::has_bias);
  return node.op() != Op::matmul && node.input_count() > 2 && !ignored;
}

}  // namespace

bool Int8Work::is_gemm_of_pixels() const {
  constexpr Size2 kOnes{1, 1};
  const bool has_padding = spatial.before != std::array<int32_t, 2>{};
  return spatial.kernel == kOnes && spatial.stride == kOnes && !has_padding && in == out && groups == 1;
}

bool has_sums(const NodeView& node) { return node.is_quantized() && node.output(0).dtype == DType::i32; }

WhyNot why_not_int8(const NodeView& node, uint32_t unit) {
  const bool is_gemm = node.op() == Op::matmul || node.op() == Op::full_connection;
  if (!node.is_quantized() || (!is_gemm && node.op() != Op::conv2d))
    return "Its operands are not quantized, or not multiplied.";
  if (const WhyNot why = why_not_shapes(node, unit)) return why;
  const auto epilogue = epilogue_of(node);
  if (!epilogue.ok() || epilogue.value().post_op != 0 || epilogue.value().added)
    return "Its post-ops are computed in float.";
  return {};
}

Result<Int8Work> int8_work_of(const NodeView& node) {
  return node.op() == Op::conv2d ? convolution(node) : product_of(node);
}

Result<RequantizePush> requantize_push_of(const NodeView& node) {
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  const uint32_t biased = has_bias(node) ? 1 : 0;
  if (has_sums(node)) return RequantizePush{0, Rounding::none, biased, epilogue.limits};
  const Quant& quant = node.output(0).quant;
  const auto [low, high] = step_limits(quant, epilogue.limits.low, epilogue.limits.high);
  const Rounding rounding = quant.ties_to_even ? Rounding::to_even : Rounding::away;
  return RequantizePush{int32_t(quant.zero_points[0]), rounding, biased, {low, high}};
}

Buffer int8_weight(const LoweringContext& context, const Int8Work& work) {
  if (!work.transposes_weight) return context.input(1);
  const ByteView data = *context.node.input(1).data;
  const size_t columns = work.columns, inner = work.inner();
  return context.sink.packed(context.node.node().inputs[1], cat("transposed ", columns, "x", inner),
                             transposed_matrix(data, inner, columns, 1), data.size());
}

Buffer int8_bias(const LoweringContext& context, Buffer any) {
  return has_bias(context.node) ? context.input(2) : any;
}

std::array<uint32_t, 2> sum_factor_bits_of(const NodeView& node, uint32_t column) {
  if (has_sums(node)) return {};
  return requantization_bits(sum_factor_of(node, column));
}

int32_t right_zero_of(const NodeView& node, uint32_t column) {
  const Quant& quant = node.input(1).quant;
  return int32_t(quant.zero_points[quant.scales.size() > 1 ? column : 0]);
}

}  // namespace nnrt::vulkan
