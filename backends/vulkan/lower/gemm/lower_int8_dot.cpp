#include "backends/vulkan/lower/gemm/lower_int8_dot.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/memory/buffer_region.h"
#include "core/base/text.h"
#include "core/schema/geometry.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kInt8PerWord = 4;  // of a word
constexpr uint32_t kTile = 64;        // pixels and columns of a workgroup

// As int8_dot.comp has them.
struct Int8DotPush {
  uint32_t pixels = 0;
  Size2 out{1, 1}, in{1, 1};
  uint32_t pixel_words = 0, group_words = 0;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial{{1, 1}, {1, 1}, {1, 1}, {}};
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  int32_t left_zero = 0, zero = 0;
  float scale = 1;
  uint32_t has_bias = 0;
  Limits limits;
};

// As int8_gemv.comp has them.
struct Int8GemvPush {
  uint32_t columns = 0, inner = 0;
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0, y_matrix = 0;
  int32_t left_zero = 0, zero = 0;
  float scale = 1;
  uint32_t has_bias = 0;
  Limits limits;
};

// A node as the kernel computes it.
struct Int8Operands {
  Int8DotPush push;
  bool transposes_weight = false;  // on the host: its values must lie along the inner dimension
};

WhyNot why_not_channels(const NodeView& node) {
  const uint32_t groups = groups_of(node);
  const int64_t in = node.shape(0)[3] / groups, out = node.shape(1)[0] / groups;
  if (in % kInt8PerWord == 0 && out % kInt8PerWord == 0) return {};
  return {"The channels of a group ({} to {}) are no multiples of {}.", in, out, kInt8PerWord};
}

Result<Int8Operands> convolution(const NodeView& node) {
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  NNRT_TRY(check_spatial(spatial));
  const uint32_t groups = groups_of(node);
  Int8Operands work;
  Int8DotPush& push = work.push;
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.pixel_words = uint32_t(node.shape(0)[3]) / kInt8PerWord;
  push.group_words = push.pixel_words / groups;
  push.columns = uint32_t(node.shape(1)[0]) / groups;
  push.groups = groups;
  push.spatial = push_of(spatial);
  return work;
}

Collapsed batch_of(const MatMul& shape) {
  return collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
}

WhyNot why_not_matmul(const NodeView& node, const MatMul& shape) {
  if (shape.inner % kInt8PerWord != 0 || shape.columns % kInt8PerWord != 0) {
    return {"The inner dimension ({}) or the columns ({}) are no multiples of {}.", shape.inner,
            shape.columns, kInt8PerWord};
  }
  if (shape.transpose_a || (!shape.transpose_b && !node.input(1).is_constant()))
    return "An operand's values do not lie along the inner dimension.";
  return batch_of(shape).shape.size() > 1 ? "The batches of its operands are broadcast." : WhyNot();
}

// Rows are pixels of images of one.
Result<Int8Operands> product_of(const NodeView& node) {
  NNRT_ASSIGN(MatMul unfolded, matmul_of(node));
  const MatMul shape = fold_batch(std::move(unfolded));
  const Collapsed batch = batch_of(shape);
  Int8Operands work;
  work.transposes_weight = !shape.transpose_b;
  Int8DotPush& push = work.push;
  push.pixels = uint32_t(shape.rows);
  push.pixel_words = push.group_words = uint32_t(shape.inner) / kInt8PerWord;
  push.columns = uint32_t(shape.columns);
  push.matrices = uint32_t(batch.shape.back());
  push.a_matrix = uint32_t(batch.strides[0].back()) * push.pixels * push.pixel_words;
  push.b_matrix = uint32_t(batch.strides[1].back()) * push.columns * push.pixel_words;
  push.y_matrix = push.pixels * push.columns / kInt8PerWord;
  return work;
}

Result<Int8Operands> work_of(const NodeView& node) {
  return node.op() == Op::conv2d ? convolution(node) : product_of(node);
}

WhyNot why_not_shapes(const NodeView& node) {
  const auto counts = [](const Shape& shape) { return count_of(shape).ok(); };
  if (!counts(node.shape(0)) || !counts(node.shape(1)) || !counts(node.output_shape()))
    return "A tensor has more elements than a kernel counts.";
  if (node.op() == Op::conv2d) {
    const auto spatial = spatial_params(node);
    if (!spatial.ok() || !check_spatial(spatial.value()).ok()) return "Its kernel is too large.";
    return why_not_channels(node);
  }
  const auto shape = matmul_of(node);
  return shape.ok() ? why_not_matmul(node, shape.value()) : "Its shapes do not fit each other.";
}

bool has_bias(const NodeView& node) {
  const bool ignored = node.attrs().has(Attr::has_bias) && !node.attrs().flag(Attr::has_bias);
  return node.op() != Op::matmul && node.input_count() > 2 && !ignored;
}

// For each output channel the scale of its sums, and the zero point of its weights.
Bytes parameters_of(const Quant& left, const Quant& right, uint32_t channels) {
  std::vector<uint32_t> words;
  for (uint32_t c = 0; c < channels; ++c) {
    const size_t own = right.scales.size() > 1 ? c : 0;
    words.push_back(std::bit_cast<uint32_t>(float(left.scales[0] * right.scales[own])));
    words.push_back(uint32_t(right.zero_points[own]));
  }
  Bytes bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Buffer weight_of(const LoweringContext& context, const Int8Operands& work) {
  if (!work.transposes_weight) return context.input(1);
  const SharedBytes data = context.node.input(1).data;
  const size_t columns = work.push.columns;
  const size_t inner = size_t{work.push.pixel_words} * kInt8PerWord;
  return context.sink.packed(
      context.node.node().inputs[1], cat("transposed ", columns, "x", inner),
      [=] { return transposed_matrix(*data, inner, columns, 1); }, data->size());
}

// True for a convolution as well, if each pixel is computed from one.
bool is_gemm_of_pixels(const Int8Operands& work) {
  const SpatialPush& spatial = work.push.spatial;
  constexpr Size2 kOnes{1, 1};
  const bool has_padding = spatial.before != std::array<int32_t, 2>{};
  return spatial.kernel == kOnes && spatial.stride == kOnes && !has_padding &&
         work.push.in == work.push.out && work.push.groups == 1;
}

// Sets what is quantized how, and gives the buffers.
Result<std::vector<Buffer>> quantized_operands(const LoweringContext& context, Int8Operands& work) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  const Quant& quant = node.output(0).quant;
  Int8DotPush& push = work.push;
  push.left_zero = int32_t(node.input(0).quant.zero_points[0]);
  push.zero = int32_t(quant.zero_points[0]);
  push.scale = float(quant.scales[0]);
  push.has_bias = has_bias(node) ? 1 : 0;
  push.limits = epilogue.limits;
  const Buffer parameters = context.sink.packed(
      node.node().outputs[0], "scales of sums", [&, channels = push.columns * push.groups] {
        return parameters_of(node.input(0).quant, node.input(1).quant, channels);
      });
  return std::vector<Buffer>{context.input(0), weight_of(context, work), parameters,
                             has_bias(node) ? context.input(2) : parameters, context.output()};
}

// Four columns of words.
Rows rows_of(const Int8DotPush& push) { return {push.columns / 4, push.pixel_words, 1}; }

}  // namespace

WhyNot why_not_int8_gemv(const NodeView& node, const DevicePlan& plan, bool by_subgroups) {
  constexpr uint32_t kMaxRows = 8;  // that int8_gemv.comp has
  if (const WhyNot why = why_not_dots(node, plan)) return why;
  const auto work = work_of(node);
  if (!work.ok() || !is_gemm_of_pixels(work.value())) return "It is no product of a matrix.";
  const Int8DotPush& push = work.value().push;
  if (push.pixels > kMaxRows) return {"It has {} rows, and not up to {}.", push.pixels, kMaxRows};
  return why_not_row_groups(rows_of(push), plan, by_subgroups);
}

Status lower_int8_gemv(const LoweringContext& context, bool by_subgroups) {
  NNRT_ASSIGN(Int8Operands work, work_of(context.node));
  NNRT_ASSIGN(std::vector<Buffer> buffers, quantized_operands(context, work));
  const Int8DotPush& from = work.push;
  const Int8GemvPush push{from.columns,  from.pixel_words, from.matrices,  from.a_matrix,
                          from.b_matrix, from.y_matrix,    from.left_zero, from.zero,
                          from.scale,    from.has_bias,    from.limits};
  Dispatch dispatch{.shader = by_subgroups ? "int8_gemv_subgroups" : "int8_gemv_group",
                    .constants = {from.pixels},
                    .push = Push(push),
                    .buffers = std::move(buffers)};
  share_rows(dispatch, rows_of(from), context.plan);
  dispatch.threads[2] = std::min(from.matrices, context.plan.max_group_count[2]);
  context.sink.add(std::move(dispatch));
  return {};
}

WhyNot why_not_dots(const NodeView& node, const DevicePlan& plan) {
  if (!plan.int8_dot) return "The device's dot products of packed bytes are not used.";
  const bool is_gemm = node.op() == Op::matmul || node.op() == Op::full_connection;
  if (!node.is_quantized() || (!is_gemm && node.op() != Op::conv2d))
    return "It has no quantized operands of such an operator.";
  if (plan.max_group_invocations < kSharedGroup) {
    return {"Its workgroups ({}) are smaller than {} invocations.", plan.max_group_invocations, kSharedGroup};
  }
  if (const WhyNot why = why_not_shapes(node)) return why;
  const auto epilogue = epilogue_of(node);
  if (!epilogue.ok() || epilogue.value().post_op != 0 || epilogue.value().added)
    return "Its post-ops are computed in float.";
  return {};
}

Status lower_int8_dot(const LoweringContext& context) {
  NNRT_ASSIGN(Int8Operands work, work_of(context.node));
  NNRT_ASSIGN(std::vector<Buffer> buffers, quantized_operands(context, work));
  const Int8DotPush& push = work.push;
  const uint32_t tiles = ((push.pixels - 1) / kTile + 1) * ((push.columns - 1) / kTile + 1) * push.groups;
  Dispatch dispatch{
      .shader = "int8_dot",
      .constants = {},
      .push = Push(push),
      .buffers = std::move(buffers),
      .threads = {tiles * kSharedGroup, 1, std::min(push.matrices, context.plan.max_group_count[2])}};
  return add_groups(context, std::move(dispatch), kSharedGroup);
}

}  // namespace nnrt::vulkan
