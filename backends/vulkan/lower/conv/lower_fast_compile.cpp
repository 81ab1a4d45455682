#include "backends/vulkan/lower/conv/lower_fast_compile.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/conv/lower_depthwise.h"
#include "backends/vulkan/lower/conv/padded_input.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"
#include "backends/vulkan/memory/buffer_region.h"
#include "core/base/text.h"
#include "core/schema/data_movement/copy_regions.h"

#include <cstring>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kSide = 4;  // of an invocation's pixels or rows, and of its columns

struct ConvolutionPush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_packs = 0, group_packs = 0;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial;
  uint32_t y_first = 0, y_row = 0;
  uint32_t has_bias = 1, adds = 0;
  EpiloguePush epilogue{};
};

struct GemmPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t a_row = 0, a_step = 1, b_column = 0, b_step = 1;
  uint32_t matrices = 1, batch = 1;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0;
  uint32_t a_offset = 0, b_offset = 0, y_offset = 0;
  uint32_t has_bias = 0, adds = 0;
  EpiloguePush epilogue{};
};

// By vec4 if their number allows it; as texels if a view shows the largest operand.
std::string_view variant_of(std::string_view kernel, bool vectors, uint64_t texels, const Epilogue& epilogue,
                            const DevicePlan& plan) {
  const bool views = vectors && plan.is_software && texels <= plan.max_texels;
  return variant_for(epilogue,
                     embedded_name(cat(kernel, vectors ? "_f32_vec4" : "_f32", views ? "_texels" : "")));
}

uint64_t elements_of(const Shape& shape) { return uint64_t(*element_count(shape)); }

// A tile of kSide x kSide results an invocation.
uint64_t tiles_of(uint64_t rows, uint64_t columns) {
  return ((rows - 1) / kSide + 1) * ((columns - 1) / kSide + 1);
}

Status add_tiles(const LoweringContext& context, Dispatch dispatch, uint64_t tiles) {
  if (tiles > std::numeric_limits<uint32_t>::max()) return unsupported("Its tiles are more than a grid has.");
  dispatch.threads = {uint32_t(tiles), 1, 1};
  return add_line(context, std::move(dispatch));
}

struct Operands {
  Buffer left, right;
  uint64_t largest = 0;  // in texels
};

Status add_convolution(const LoweringContext& context, ConvolutionPush push, const Operands& operands,
                       const std::optional<Buffer>& bias, const ConcatSlice& to, const Epilogue& epilogue,
                       bool transposed) {
  const bool vectors = push.group_packs % 4 == 0;
  if (vectors) push.pixel_packs /= 4, push.group_packs /= 4;
  push.y_first = to.first;
  push.y_row = to.pitch;
  push.has_bias = bias ? 1 : 0;
  push.adds = epilogue.added ? 1 : 0;
  push.epilogue = push_of(epilogue);
  const Buffer any = operands.left;
  Dispatch dispatch{
      .shader = variant_of("conv2d_fast_compile", vectors, operands.largest, epilogue, context.plan),
      .constants = {epilogue.post_op, 0,
                    transposed ? 1u : 0u},  // as those of tiles; `adds` is no constant here
      .push = Push(push),
      .buffers = {any, operands.right, bias.value_or(any), to.buffer, added_to(context, epilogue, any)}};
  return add_tiles(context, std::move(dispatch), tiles_of(push.pixels, push.columns) * push.groups);
}

Buffer padded_weights(const LoweringContext& context, uint32_t channels, uint32_t wide) {
  const ByteView data = *context.node.input(1).data;
  const uint64_t rows = elements_of(context.node.shape(1)) / channels;
  const size_t run = channels * sizeof(float), wide_run = wide * sizeof(float);
  return context.sink.packed(
      context.node.node().inputs[1], cat("channels made up to ", wide),
      [=] {
        Bytes bytes(rows * wide_run);
        for (size_t i = 0; i < rows; ++i)
          std::memcpy(bytes.data() + i * wide_run, data.data() + i * run, run);
        return bytes;
      },
      rows * wide_run);
}

Status add_spatial(const LoweringContext& context, const SpatialParams& spatial, bool transposed) {
  const NodeView& node = context.node;
  NNRT_TRY(check_spatial(spatial));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  ConvolutionPush push;
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.groups = groups_of(node);
  push.pixel_packs = uint32_t(node.shape(0)[3]);
  push.group_packs = push.pixel_packs / push.groups;
  push.columns = uint32_t(node.shape(1)[0]) / push.groups;
  push.spatial = push_of(spatial);

  Operands operands{context.input(0), context.input(1), 0};
  const uint32_t channels = push.group_packs;
  const PaddedInput padded = vulkan::padded_input_of(node, spatial, push.groups, transposed);
  const uint32_t wide = padded.channels;
  uint64_t input = elements_of(node.shape(0)), weights = elements_of(node.shape(1));
  if (padded.changes(node)) {
    operands = {padded_input(context, padded), padded_weights(context, channels, wide), 0};
    push.in = size2(padded.spatial.in);
    push.spatial = push_of(padded.spatial);
    push.pixel_packs = wide;
    push.group_packs = wide * padded.across;
    input = uint64_t(node.shape(0)[0]) * push.in[0] * push.in[1] * wide;
    weights = weights / channels * wide;
  }
  operands.largest = std::max(input, weights) / 4;
  const ConcatSlice to = output_slice_of(context, epilogue, push.columns * push.groups);
  return add_convolution(context, push, operands, context.input(2), to, epilogue, transposed);
}

// One matrix of weights for all rows, each row of results from a row of it: a convolution of a line of
// pixels.
bool is_line(const Gemm& gemm, const Collapsed& batch) {
  const MatMul& shape = gemm.shape;
  return !shape.transpose_a && shape.transpose_b && batch.shape.size() == 1 && batch.shape[0] == 1 &&
         gemm.first == 0;
}

// The second operand transposed, if it is a constant.
Buffer transposed_weights(const LoweringContext& context, const MatMul& shape) {
  const ByteView data = *context.node.input(1).data;
  const auto rows = size_t(shape.inner), columns = size_t(shape.columns);
  return context.sink.packed(
      context.node.node().inputs[1], cat("transposed ", rows, "x", columns),
      [=] { return transposed_matrix(data, rows, columns, sizeof(float)); },
      elements_of(context.node.shape(1)) * sizeof(float));
}

}  // namespace

Status add_fast_compile_convolution(const LoweringContext& context, const SpatialParams& spatial) {
  return add_spatial(context, spatial, false);
}

Status add_fast_compile_transpose(const LoweringContext& context, const SpatialParams& spatial) {
  return add_spatial(context, spatial, true);
}

Status add_fast_compile_depthwise(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  NNRT_TRY(check_spatial(spatial));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  const auto in_channels = uint32_t(node.shape(0)[3]), out_channels = uint32_t(node.shape(1)[0]);
  const auto cells = uint32_t(spatial.kernel[0] * spatial.kernel[1]);
  NNRT_ASSIGN(const Buffer weight, pack_weights(context, 1, {1, out_channels, cells, 0, cells, 1}));
  const bool vectors = in_channels == out_channels && out_channels % 4 == 0;
  const uint32_t width = vectors ? 4 : 1;
  DepthwisePush push{.out = size2(spatial.out), .in = size2(spatial.in)};
  push.rows = uint32_t(node.shape(0)[0]) * push.out[0];
  push.out_parts = out_channels / width;
  push.in_parts = in_channels / width;
  push.multiplier = out_channels / in_channels;
  push.spatial = push_of(spatial);
  push.epilogue = push_of(epilogue);
  const uint64_t largest = std::max(elements_of(node.shape(0)), align_up(out_channels, 4) * cells) / 4;
  const uint64_t threads = uint64_t(push.rows) * ((push.out[1] - 1) / kSide + 1) * push.out_parts;
  Dispatch dispatch{.shader = variant_of("depthwise_fast_compile", vectors, largest, epilogue, context.plan),
                    .constants = {epilogue.post_op},
                    .push = Push(push),
                    .buffers = {context.input(0), weight, context.input(2), context.output()}};
  return add_tiles(context, std::move(dispatch), threads);
}

Status add_fast_compile_gemm(const LoweringContext& context, const Gemm& gemm) {
  const NodeView& node = context.node;
  MatMul shape = gemm.shape;
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const Buffer left = gemm.left.value_or(context.input(0));
  Operands operands{left, context.input(1), 0};
  if (!shape.transpose_b && node.input(1).is_constant()) {
    operands.right = transposed_weights(context, shape);
    shape.transpose_b = true;
  }
  const auto rows = uint32_t(shape.rows), columns = uint32_t(shape.columns), inner = uint32_t(shape.inner);
  operands.largest =
      std::max(left_matrices(shape) * uint64_t(shape.rows * shape.inner), elements_of(node.shape(1))) / 4;
  if (is_line({.shape = shape, .first = gemm.first}, batch)) {
    const ConvolutionPush push{.pixels = rows,
                               .out = {1, rows},
                               .in = {1, rows},
                               .pixel_packs = inner,
                               .group_packs = inner,
                               .columns = columns,
                               .spatial = {{1, 1}, {1, 1}, {1, 1}, {}}};
    return add_convolution(context, push, operands, gemm.bias, output_slice_of(context, gemm), gemm.epilogue,
                           false);
  }
  const bool vectors = !shape.transpose_a && shape.transpose_b && inner % 4 == 0;
  const uint32_t width = vectors ? 4 : 1;
  GemmPush push{.rows = rows, .columns = columns, .inner = inner / width};
  push.a_row = shape.transpose_a ? 1 : push.inner;
  push.a_step = shape.transpose_a ? rows : 1;
  push.b_column = shape.transpose_b ? push.inner : 1;
  push.b_step = shape.transpose_b ? 1 : columns;
  const uint32_t a_matrix = rows * push.inner, b_matrix = columns * push.inner;
  push.batch = uint32_t(batch.shape.back());
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * b_matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * b_matrix;
  push.has_bias = gemm.bias ? 1 : 0;
  push.adds = gemm.epilogue.added ? 1 : 0;
  push.epilogue = push_of(gemm.epilogue);
  Dispatch dispatch{
      .shader = variant_of("matmul_fast_compile", vectors, operands.largest, gemm.epilogue, context.plan),
      .constants = {gemm.epilogue.post_op},
      .push = {},
      .buffers = {left, operands.right, gemm.bias.value_or(left), gemm.output,
                  added_to(context, gemm.epilogue, left)}};
  return for_each_outer(batch, [&](uint32_t a, uint32_t b, uint32_t y, uint32_t matrices) {
    push.matrices = matrices;
    push.a_offset = a * a_matrix;
    push.b_offset = (gemm.first + b) * b_matrix;
    push.y_offset = y * rows * columns;
    dispatch.push = Push(push);
    return add_tiles(context, dispatch, tiles_of(rows, columns) * matrices);
  });
}

}  // namespace nnrt::vulkan
