#include "backends/vulkan/lower/gemm/lower_cooperative_matrix.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// As shaders/include/gemm/cooperative_matrix_tile.glsl has them.
constexpr uint32_t kFp16PerVector = 8;  // of a vector of 16 bytes
constexpr uint32_t kGroup = 256;
constexpr uint32_t kTile = 128, kSmallTile = 64;

constexpr int64_t kMinRows = 16;  // below, what is read matters more than how it is multiplied
// Large tiles read less, where there are enough of them for all parts of a GPU. Emulated ones are to be used
// at all.
constexpr uint64_t kMinTiles = 128, kMinTilesEmulated = 2;

struct GemmPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t matrices = 1, batch = 1;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0;
  uint32_t has_bias = 0;
  EpiloguePush epilogue{};
};

struct ConvolutionPush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_vec8s = 0, group_vec8s = 0;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial;
  uint32_t has_bias = 1;
  EpiloguePush epilogue{};
};

uint32_t tiles(uint32_t rows, uint32_t columns, uint32_t tile) {
  return ((rows - 1) / tile + 1) * ((columns - 1) / tile + 1);
}

WhyNot why_not_operands(const LoweringContext& context, Matrices matrices) {
  const DevicePlan& plan = context.plan;
  if (plan.cooperative_matrix.rows == 0 ||
      plan.emulates_cooperative_matrix != (matrices == Matrices::emulated))
    return matrices == Matrices::emulated ? "It is for tests." : "The device's matrices are not used.";
  if (!context.sink.fp16_input(0) || !context.sink.fp16_input(1))
    return "An operand is not stored as float16.";
  return {};
}

// Adds `matrices` or groups of rows by columns.
Status add(const LoweringContext& context, std::string_view kernel, Size2 rows_and_columns, uint32_t groups,
           uint32_t matrices, Dispatch dispatch) {
  const auto [rows, columns] = rows_and_columns;
  const uint64_t large = uint64_t(tiles(rows, columns, kTile)) * groups * matrices;
  const bool is_small = large < (context.plan.emulates_cooperative_matrix ? kMinTilesEmulated : kMinTiles);
  dispatch.shader = embedded_name(
      cat(kernel, is_small ? "_small" : "", context.plan.emulates_cooperative_matrix ? "_emulated" : ""));
  dispatch.threads = {tiles(rows, columns, is_small ? kSmallTile : kTile) * groups * kGroup, 1,
                      std::min(matrices, context.plan.max_group_count[2])};
  return add_groups(context, std::move(dispatch), kGroup);
}

std::vector<Buffer> buffers_of(const LoweringContext& context, std::optional<Buffer> bias, Buffer output,
                               const Epilogue& epilogue) {
  const Buffer any = *context.sink.fp16_input(0);  // where nothing is read
  return {any, *context.sink.fp16_input(1), bias.value_or(any), output, added_to(context, epilogue, any)};
}

}  // namespace

WhyNot why_not_matrices(const LoweringContext& context, const Gemm& gemm, Matrices matrices) {
  if (const WhyNot why = why_not_operands(context, matrices)) return why;
  const MatMul& shape = gemm.shape;
  if (gemm.left || gemm.first != 0) return "It is of a part of an operand.";
  if (shape.transpose_a) return "Its first operand lies column by column.";
  if (shape.inner % kFp16PerVector != 0 || shape.columns % kFp16PerVector != 0) {
    return {"Its inner dimension ({}) or its columns ({}) are no multiples of {}.", shape.inner,
            shape.columns, kFp16PerVector};
  }
  if (shape.rows < kMinRows) return {"It has few rows ({}).", shape.rows};
  if (collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b}).shape.size() > 2) {
    return "Its batches are broadcast.";
  }
  return {};
}

Status add_cooperative_matrix(const LoweringContext& context, const Gemm& gemm) {
  const MatMul& shape = gemm.shape;
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const auto a_matrix = uint32_t(shape.rows * shape.inner) / kFp16PerVector;
  const auto b_matrix = uint32_t(shape.columns * shape.inner) / kFp16PerVector;
  GemmPush push{uint32_t(shape.rows), uint32_t(shape.columns), uint32_t(shape.inner)};
  push.batch = uint32_t(batch.shape.back());
  push.matrices = uint32_t(nnrt::product(batch.shape, 0, batch.shape.size()));
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * b_matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * b_matrix;
  push.has_bias = gemm.bias ? 1 : 0;
  push.epilogue = push_of(gemm.epilogue);
  return add(
      context, "matmul_cooperative_matrix", {push.rows, push.columns}, 1, push.matrices,
      {.shader = {},
       .constants = {gemm.epilogue.post_op, gemm.epilogue.added ? 1u : 0u, 0, shape.transpose_b ? 1u : 0u},
       .push = Push(push),
       .buffers = buffers_of(context, gemm.bias, gemm.output, gemm.epilogue)});
}

WhyNot why_not_matrices(const LoweringContext& context, const SpatialParams&, Matrices matrices) {
  if (const WhyNot why = why_not_operands(context, matrices)) return why;
  const NodeView& node = context.node;
  const uint32_t groups = groups_of(node);
  const int64_t in = node.shape(0)[3] / groups;
  const int64_t out = node.shape(1)[0] / groups;
  if (in % kFp16PerVector != 0 || out % kFp16PerVector != 0)
    return {"The channels of a group ({} to {}) are no multiples of {}.", in, out, kFp16PerVector};
  return {};
}

Status add_cooperative_matrix(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  ConvolutionPush push;
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.groups = groups_of(node);
  push.pixel_vec8s = uint32_t(node.shape(0)[3]) / kFp16PerVector;
  push.group_vec8s = push.pixel_vec8s / push.groups;
  push.columns = uint32_t(node.shape(1)[0]) / push.groups;
  push.spatial = push_of(spatial);
  push.epilogue = push_of(epilogue);
  const bool transposed = node.op() == Op::conv2d_transpose;
  return add(context, "conv2d_cooperative_matrix", {push.pixels, push.columns}, push.groups, 1,
             {.shader = {},
              .constants = {epilogue.post_op, epilogue.added ? 1u : 0u, transposed ? 1u : 0u, 1},
              .push = Push(push),
              .buffers = buffers_of(context, context.input(2), context.output(), epilogue)});
}

}  // namespace nnrt::vulkan
