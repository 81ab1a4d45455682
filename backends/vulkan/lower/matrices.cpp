#include "backends/vulkan/lower/matrices.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/operands.h"
#include "backends/vulkan/lower/windows.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// As shaders/include/matrix_tile.glsl has them.
constexpr uint32_t kHalves = 8;  // of a vector of 16 bytes
constexpr uint32_t kGroup = 256;
constexpr uint32_t kTile = 128, kSmallTile = 64;

constexpr int64_t kLeastRows = 16;  // below, what is read matters more than how it is multiplied
// Large tiles read less, where there are enough of them for all parts of a GPU. Emulated ones are to be used
// at all.
constexpr uint64_t kLeastTiles = 128, kLeastTilesEmulated = 2;

struct ProductPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t matrices = 1, batch = 1;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0;
  uint32_t has_bias = 0;
  FinishPush finish{};
};

struct ConvolutionPush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_eights = 0, group_eights = 0;
  uint32_t columns = 0, groups = 1;
  WindowPush window;
  uint32_t has_bias = 1;
  FinishPush finish{};
};

uint32_t tiles(uint32_t rows, uint32_t columns, uint32_t tile) {
  return ((rows - 1) / tile + 1) * ((columns - 1) / tile + 1);
}

Refusal refuse_operands(const LoweringContext& context) {
  if (context.plan.matrices.rows == 0) return "The device's matrices are not used.";
  if (!context.sink.halves_of(0) || !context.sink.halves_of(1)) return "An operand is not stored as halves.";
  return std::nullopt;
}

// Adds `matrices` or groups of rows by columns.
Status add(const LoweringContext& context, std::string_view kernel, Size2 rows_and_columns, uint32_t groups,
           uint32_t matrices, Dispatch dispatch) {
  const auto [rows, columns] = rows_and_columns;
  const uint64_t large = uint64_t(tiles(rows, columns, kTile)) * groups * matrices;
  const bool is_small = large < (context.plan.emulates_matrices ? kLeastTilesEmulated : kLeastTiles);
  dispatch.shader =
      embedded_name(cat(kernel, is_small ? "_small" : "", context.plan.emulates_matrices ? "_emulated" : ""));
  dispatch.threads = {tiles(rows, columns, is_small ? kSmallTile : kTile) * groups * kGroup, 1,
                      std::min(matrices, context.plan.max_group_count[2])};
  return add_groups(context, std::move(dispatch), kGroup);
}

std::vector<Buffer> buffers_of(const LoweringContext& context, std::optional<Buffer> bias, Buffer output,
                               const Finish& finish) {
  const Buffer any = *context.sink.halves_of(0);  // where nothing is read
  return {any, *context.sink.halves_of(1), bias.value_or(any), output, added_to(context, finish, any)};
}

}  // namespace

Refusal refuse_matrices(const LoweringContext& context, const Product& product) {
  if (Refusal refusal = refuse_operands(context)) return refusal;
  const MatMul& shape = product.shape;
  if (product.left || product.first != 0) return "It is of a part of an operand.";
  if (shape.transpose_a) return "Its first operand lies column by column.";
  if (shape.inner % kHalves != 0 || shape.columns % kHalves != 0) {
    return cat("Its inner dimension (", shape.inner, ") or its columns (", shape.columns,
               ") are no multiples of ", kHalves, ".");
  }
  if (shape.rows < kLeastRows) return cat("It has few rows (", shape.rows, ").");
  if (collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b}).shape.size() > 2) {
    return "Its batches are broadcast.";
  }
  return std::nullopt;
}

Status add_matrices(const LoweringContext& context, const Product& product) {
  const MatMul& shape = product.shape;
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const auto a_matrix = uint32_t(shape.rows * shape.inner) / kHalves;
  const auto b_matrix = uint32_t(shape.columns * shape.inner) / kHalves;
  ProductPush push{uint32_t(shape.rows), uint32_t(shape.columns), uint32_t(shape.inner)};
  push.batch = uint32_t(batch.shape.back());
  push.matrices = uint32_t(nnrt::product(batch.shape, 0, batch.shape.size()));
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * b_matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * b_matrix;
  push.has_bias = product.bias ? 1 : 0;
  push.finish = push_of(product.finish);
  return add(
      context, "matmul_matrices", {push.rows, push.columns}, 1, push.matrices,
      {.shader = {},
       .constants = {product.finish.then, product.finish.added ? 1u : 0u, 0, shape.transpose_b ? 1u : 0u},
       .push = Push(push),
       .buffers = buffers_of(context, product.bias, product.output, product.finish)});
}

Refusal refuse_matrices(const LoweringContext& context, const Window&) {
  if (Refusal refusal = refuse_operands(context)) return refusal;
  const NodeView& node = context.node;
  const uint32_t groups = groups_of(node);
  const int64_t in = node.shape(0)[3] / groups;
  const int64_t out = node.shape(1)[0] / groups;
  if (in % kHalves != 0 || out % kHalves != 0) {
    return cat("The channels of a group (", in, " to ", out, ") are no multiples of ", kHalves, ".");
  }
  return std::nullopt;
}

Status add_matrices(const LoweringContext& context, const Window& window) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const Finish finish, finish_of(node));
  ConvolutionPush push;
  push.out = size2(window.out);
  push.in = size2(window.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.groups = groups_of(node);
  push.pixel_eights = uint32_t(node.shape(0)[3]) / kHalves;
  push.group_eights = push.pixel_eights / push.groups;
  push.columns = uint32_t(node.shape(1)[0]) / push.groups;
  push.window = push_of(window);
  push.finish = push_of(finish);
  const bool transposed = node.op() == Op::conv2d_transpose;
  return add(context, "conv2d_matrices", {push.pixels, push.columns}, push.groups, 1,
             {.shader = {},
              .constants = {finish.then, finish.added ? 1u : 0u, transposed ? 1u : 0u, 1},
              .push = Push(push),
              .buffers = buffers_of(context, context.input(2), context.output(), finish)});
}

}  // namespace nnrt::vulkan
