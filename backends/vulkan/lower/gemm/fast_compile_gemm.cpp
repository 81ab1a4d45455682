#include "backends/vulkan/lower/gemm/fast_compile_gemm.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/tile_kinds.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"
#include "core/base/text.h"
#include "core/schema/data_movement/copy_regions.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

struct GemmPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t a_row = 0, a_step = 1, b_column = 0, b_step = 1;
  uint32_t matrices = 1, batch = 1;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0;
  uint32_t a_offset = 0, b_offset = 0, y_offset = 0;
  uint32_t has_bias = 0, adds = 0;
  EpiloguePush epilogue{};
};

// One weight matrix for all rows: a pointwise convolution over a line of pixels.
bool is_line(const Gemm& gemm, const Collapsed& batch) {
  const MatMul& shape = gemm.shape;
  return !shape.transpose_a && shape.transpose_b && batch.shape.size() == 1 && batch.shape[0] == 1 &&
         gemm.first == 0;
}

// Each subgroup of 8 shares the weights of 8 channels; each invocation computes 4 pixels. The variant reads
// texels and stores full vectors.
bool fits_subgroup8(const FastCompilePush& push, uint64_t texels, const DevicePlan& plan) {
  const bool stores_vectors = push.columns % 4 == 0 && push.y_first % 4 == 0 && push.y_row % 4 == 0;
  return stores_vectors && plan.shuffled == kSubgroup8 && shows_texels(texels, plan);
}

uint64_t subgroup_tiles(uint64_t pixels, uint64_t columns) {
  return ((pixels - 1) / (uint64_t{kFastCompileSide} * kSubgroup8) + 1) * divide_up(columns, kSubgroup8);
}

// Transposes the second operand, which is a constant, on the host.
Buffer transposed_weights(const LoweringContext& context, const MatMul& shape) {
  const ByteView data = *context.node.input(1).data;
  const auto rows = size_t(shape.inner), columns = size_t(shape.columns);
  return context.sink.packed(context.node.node().inputs[1], cat("transposed ", rows, "x", columns),
                             transposed_matrix(data, rows, columns, sizeof(float)),
                             elements_of(context.node.shape(1)) * sizeof(float));
}

uint64_t fast_compile_tiles(uint64_t rows, uint64_t columns) {
  return divide_up(rows, kFastCompileSide) * divide_up(columns, kFastCompileSide);
}

}  // namespace

bool shows_texels(uint64_t texels, const DevicePlan& plan) {
  return plan.is_software && texels <= plan.max_texels;
}

Status add_fast_compile_tiles(const LoweringContext& context, Dispatch dispatch, uint64_t tiles) {
  if (tiles > std::numeric_limits<uint32_t>::max())
    return unsupported("It has more tiles than a grid can hold.");
  dispatch.threads = {uint32_t(tiles), 1, 1};
  return add_line(context, std::move(dispatch));
}

Status add_fast_compile_gemm(const LoweringContext& context, FastCompilePush push,
                             const FastCompileOperands& operands, const std::optional<Buffer>& bias,
                             const View& to, const Epilogue& epilogue, bool transposed) {
  const bool vectors = push.group_packs % 4 == 0;
  if (vectors) push.pixel_packs /= 4, push.group_packs /= 4;
  push.y_first = to.offset;
  push.y_row = to.row();
  push.has_bias = bias ? 1 : 0;
  push.adds = epilogue.added ? 1 : 0;
  push.epilogue = push_of(epilogue);
  const Buffer any = operands.left;
  const bool in_subgroups = vectors && fits_subgroup8(push, operands.largest, context.plan);
  Dispatch dispatch{.shader = in_subgroups ? "conv2d_fast_compile_f32_vec4_subgroup8"
                              : vectors    ? "conv2d_fast_compile_f32_vec4"
                                           : "conv2d_fast_compile_f32",
                    // Same order as in the tiled kernels; `adds` is not a specialization constant here.
                    .constants = {epilogue.post_op, 0, transposed ? 1u : 0u},
                    .push = Push(push),
                    .buffers = {any, operands.right, bias.value_or(any), to.buffer,
                                epilogue_operand(context, epilogue, any)},
                    .iterations = spatial_iterations(push.spatial, push.group_packs)};
  const uint64_t tiles = in_subgroups ? kSubgroup8 * subgroup_tiles(push.pixels, push.columns)
                                      : fast_compile_tiles(push.pixels, push.columns);
  return add_fast_compile_tiles(context, std::move(dispatch), tiles * push.groups);
}

Status add_fast_compile_gemm(const LoweringContext& context, const Gemm& gemm) {
  const NodeView& node = context.node;
  MatMul shape = gemm.shape;
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const Buffer left = gemm.left.value_or(context.input(0));
  FastCompileOperands operands{left, context.input(1), 0};
  if (!shape.transpose_b && node.input(1).is_constant()) {
    operands.right = transposed_weights(context, shape);
    shape.transpose_b = true;
  }
  const auto rows = uint32_t(shape.rows), columns = uint32_t(shape.columns), inner = uint32_t(shape.inner);
  operands.largest =
      std::max(left_matrices(shape) * uint64_t(shape.rows * shape.inner), elements_of(node.shape(1))) / 4;
  if (is_line({.shape = shape, .first = gemm.first}, batch)) {
    const FastCompilePush push{.pixels = rows,
                               .out = {1, rows},
                               .in = {1, rows},
                               .pixel_packs = inner,
                               .group_packs = inner,
                               .columns = columns,
                               .spatial = {{1, 1}, {1, 1}, {1, 1}, {}}};
    return add_fast_compile_gemm(context, push, operands, gemm.bias, output_rows(context, gemm),
                                 gemm.epilogue, false);
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
  Dispatch dispatch{.shader = vectors ? "matmul_fast_compile_f32_vec4" : "matmul_fast_compile_f32",
                    .constants = {gemm.epilogue.post_op},
                    .push = {},
                    .buffers = {left, operands.right, gemm.bias.value_or(left), gemm.output,
                                epilogue_operand(context, gemm.epilogue, left)},
                    .iterations = loop_of(push.inner)};
  return for_each_outer(batch, [&](uint32_t a, uint32_t b, uint32_t y, uint32_t matrices) {
    push.matrices = matrices;
    push.a_offset = a * a_matrix;
    push.b_offset = (gemm.first + b) * b_matrix;
    push.y_offset = y * rows * columns;
    dispatch.push = Push(push);
    return add_fast_compile_tiles(context, dispatch, fast_compile_tiles(rows, columns) * matrices);
  });
}

uint64_t fast_compile_iterations(const LoweringContext& context, const Gemm& gemm) {
  const MatMul& shape = gemm.shape;
  const bool by_columns = shape.transpose_b || context.node.input(1).is_constant();
  const bool vectors = !shape.transpose_a && by_columns && shape.inner % 4 == 0;
  return spatial_iterations({{1, 1}, {}, {}, {}}, uint64_t(shape.inner) / (vectors ? 4 : 1));
}

}  // namespace nnrt::vulkan
