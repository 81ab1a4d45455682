#include "backends/vulkan/lower/product.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/fours.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kTile = 8;     // rows and columns of an invocation
constexpr uint32_t kFewRows = 4;  // below, an invocation has one row
constexpr uint32_t kGroupTiles = 32;

struct ProductPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t a_row = 0, a_step = 0;
  uint32_t b_block = 0, b_step = 0;
  uint32_t matrices = 0, batch = 0;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0;
  uint32_t a_offset = 0, b_offset = 0, y_offset = 0;
};

// The second operand as the kernel reads it, strides in fours.
struct Columns {
  Buffer buffer;
  uint32_t block = 0, step = 0, matrix = 0;
};

Result<Columns> columns_of(const LoweringContext& context, const MatMul& shape, uint32_t matrices) {
  const auto rows = uint32_t(shape.columns);
  const auto inner = uint32_t(shape.inner);
  if (!shape.transpose_b && rows % 4 == 0 && !context.node.input(1).is_constant()) {
    return Columns{context.input(1), 1, rows / 4, inner * (rows / 4)};
  }
  const Fours fours{
      matrices, rows, inner, rows * inner, shape.transpose_b ? inner : 1, shape.transpose_b ? 1 : rows};
  NNRT_ASSIGN(const Buffer buffer, pack_fours(context, 1, fours));
  return Columns{buffer, inner, 1, fours.blocks() * inner};
}

bool in_fours(const MatMul& shape) {
  return !shape.transpose_a && shape.inner % 4 == 0 && shape.columns % 4 == 0;
}

std::string_view shader_of(bool fours, bool few_rows) {
  if (fours) return few_rows ? "matmul_f32_vec4_row" : "matmul_f32_vec4";
  return few_rows ? "matmul_f32_row" : "matmul_f32";
}

ProductPush push_of(const MatMul& shape, const Columns& columns, uint32_t width) {
  ProductPush push;
  push.rows = uint32_t(shape.rows);
  push.columns = uint32_t(shape.columns);
  push.inner = uint32_t(shape.inner);
  push.a_row = shape.transpose_a ? 1 : push.inner / width;
  push.a_step = shape.transpose_a ? push.rows : 1;
  push.b_block = columns.block;
  push.b_step = columns.step;
  return push;
}

// The batch dimensions before the last two, which the kernel walks itself: calls `add` for each index with
// its place in both operands and in the result, in matrices.
template <typename Add>
void for_each_outer(const Collapsed& batch, Add add) {
  const size_t rank = batch.shape.size();
  const size_t outer = rank > 2 ? rank - 2 : 0;
  const int64_t matrices = product(batch.shape, outer, rank);
  const int64_t count = product(batch.shape, 0, outer);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    int64_t a = 0;
    int64_t b = 0;
    for (size_t d = outer; d-- > 0; rest /= batch.shape[d]) {
      a += rest % batch.shape[d] * batch.strides[0][d];
      b += rest % batch.shape[d] * batch.strides[1][d];
    }
    add(uint32_t(a), uint32_t(b), uint32_t(i * matrices), uint32_t(matrices));
  }
}

uint32_t stride_at(const Collapsed& batch, size_t operand, size_t from_end) {
  const Strides& strides = batch.strides[operand];
  return from_end > strides.size() ? 0 : uint32_t(strides[strides.size() - from_end]);
}

}  // namespace

Status add_grid(const LoweringContext& context, Dispatch dispatch) {
  const DevicePlan& plan = context.plan;
  const Size3& threads = dispatch.threads;
  uint32_t x = 1;
  while (x < kGroupTiles && x < threads[0]) x *= 2;
  const uint32_t y = kGroupTiles / x;
  while ((threads[0] - 1) / x >= plan.max_group_count[0] && 2 * x <= plan.max_group_invocations) x *= 2;
  dispatch.local = {x, y, 1};
  for (size_t d = 0; d < 3; ++d) {
    const uint32_t groups = (threads[d] - 1) / dispatch.local[d] + 1;
    if (groups > plan.max_group_count[d]) {
      return unsupported("Workgroups (", groups, ") exceed ", plan.max_group_count[d], ".");
    }
  }
  context.sink.add(std::move(dispatch));
  return {};
}

Status add_product(const LoweringContext& context, const Product& product) {
  const MatMul& shape = product.shape;
  NNRT_TRY(count_of(context.node.shape(0)));
  NNRT_TRY(count_of(context.node.shape(1)));
  NNRT_TRY(count_of(context.node.output_shape()));
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const auto b_count = uint32_t(*element_count(context.node.shape(1)));
  NNRT_ASSIGN(const Columns columns,
              columns_of(context, shape, b_count / uint32_t(shape.columns * shape.inner)));

  const bool fours = in_fours(shape);
  const bool few_rows = shape.rows < kFewRows;
  const uint32_t width = fours ? 4 : 1;
  const uint32_t a_matrix = uint32_t(shape.rows * shape.inner) / width;
  ProductPush push = push_of(shape, columns, width);
  push.batch = uint32_t(batch.shape.back());
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * columns.matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * columns.matrix;

  const Buffer left = product.left.value_or(context.input(0));
  Dispatch dispatch{.shader = shader_of(fours, few_rows),
                    .constants = {product.activation, product.bias ? 1u : 0u},
                    .push = {},
                    .buffers = {left, columns.buffer, product.bias.value_or(left), product.output}};
  const uint32_t rows = few_rows ? push.rows : (push.rows - 1) / kTile + 1;
  Status status;
  for_each_outer(batch, [&](uint32_t a, uint32_t b, uint32_t y, uint32_t matrices) {
    push.matrices = matrices;
    push.a_offset = a * a_matrix;
    push.b_offset = (product.first + b) * columns.matrix;
    push.y_offset = y * push.rows * push.columns;
    dispatch.push = Push(push);
    dispatch.threads = {rows, (push.columns - 1) / kTile + 1,
                        std::min(matrices, context.plan.max_group_count[2])};
    if (status.ok()) status = add_grid(context, dispatch);
  });
  return status;
}

}  // namespace nnrt::vulkan
