#include "backends/vulkan/lower/gemm/lower_gemv.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kMaxRows = 8;  // must match gemv.comp
constexpr uint64_t kStored = 8;  // loop iterations to store a row's results

struct GemvPush {
  uint32_t columns = 0, inner = 0;
  uint32_t matrices = 1, batch = 1;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0, y_matrix = 0;
  uint32_t a_offset = 0, b_offset = 0, y_offset = 0;
  uint32_t y_row = 0;
  uint32_t has_bias = 0;
  EpiloguePush epilogue{};
};

// Elements of each operand per load.
struct Layout {
  std::string_view variant;
  uint32_t left = 1, right = 1;
};

Layout layout_of(const MatMul& shape) {
  if (!shape.transpose_b) return {"_vec4_columns", 1, 4};
  if (shape.inner % 4 != 0) return {"", 1, 1};
  return {shape.columns % 4 == 0 ? "_vec4" : "_long", 4, 4};
}

// Rows for row_groups.h: one per four columns, as long as K.
Rows rows_of(const MatMul& shape) {
  const uint32_t vec4s = divide_up(uint32_t(shape.columns), 4);
  return {vec4s, uint32_t(shape.inner) / layout_of(shape).left, shape.transpose_b ? 1 : vec4s};
}

}  // namespace

WhyNot why_not_gemv(const LoweringContext& context, const Gemm& gemm, bool by_subgroups) {
  const MatMul& shape = gemm.shape;
  if (const WhyNot why = why_not_sharing(context.plan)) return why;
  if (shape.rows > kMaxRows) return {"It has {} rows; the limit is {}.", shape.rows, kMaxRows};
  if (gemm.right) return "Its weights are packed in tiles.";
  if (shape.transpose_a && shape.rows != 1) return "Its first operand is stored by columns.";
  if (!shape.transpose_b && shape.columns % 4 != 0)
    return {"The columns of its second operand ({}) are not a multiple of 4.", shape.columns};
  if (by_subgroups && !shape.transpose_b) return "Its second operand is stored by rows.";
  if (!by_subgroups && shape.transpose_b) return "Its second operand is stored by columns.";
  if (by_subgroups && !context.plan.subgroup_arithmetic) return "The device has no subgroup arithmetic.";
  return context.plan.is_software
             ? WhyNot::slower("On software drivers one invocation per column is as fast.")
             : WhyNot();
}

uint64_t gemv_iterations(const Gemm& gemm, const DevicePlan& plan) {
  const Rows rows = rows_of(gemm.shape);
  const RowGroup group = row_group_for(rows, plan);
  return loop_by(rows.length, group.lanes) +
         uint64_t(gemm.shape.rows) * (reduction_iterations(group.invocations()) + kStored);
}

Status add_gemv(const LoweringContext& context, const Gemm& gemm, bool by_subgroups) {
  const MatMul& shape = gemm.shape;
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const Layout layout = layout_of(shape);
  const Rows rows = rows_of(shape);
  const uint32_t a_matrix = uint32_t(shape.rows * shape.inner) / layout.left;
  const uint32_t b_matrix = uint32_t(shape.columns * shape.inner) / layout.right;
  const View to = output_rows(context, gemm);
  GemvPush push{.columns = uint32_t(shape.columns), .inner = rows.length};
  push.batch = uint32_t(batch.shape.back());
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * b_matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * b_matrix;
  push.y_matrix = uint32_t(shape.rows * shape.columns);
  push.y_row = to.row();
  push.has_bias = gemm.bias ? 1 : 0;
  push.epilogue = push_of(gemm.epilogue);
  const Buffer left = gemm.left.value_or(context.input(0));
  Dispatch dispatch{
      .shader = embedded_name(cat("gemv_f32", layout.variant, by_subgroups ? "_subgroups" : "_group")),
      .constants = {gemm.epilogue.post_op, gemm.epilogue.added ? 1u : 0u, uint32_t(shape.rows)},
      .push = {},
      .buffers = {left, context.input(1), gemm.bias.value_or(left), to.buffer,
                  epilogue_operand(context, gemm.epilogue, left)}};
  share_rows(dispatch, rows, context.plan);
  return for_each_outer(batch, [&](uint32_t a, uint32_t b, uint32_t y, uint32_t matrices) -> Status {
    push.matrices = matrices;
    push.a_offset = a * a_matrix;
    push.b_offset = (gemm.first + b) * b_matrix;
    push.y_offset = to.offset + y * push.y_matrix;
    dispatch.push = Push(push);
    dispatch.threads[2] = std::min(matrices, context.plan.max_group_count[2]);
    dispatch.iterations = loop_by(matrices, dispatch.threads[2], gemv_iterations(gemm, context.plan));
    context.sink.add(dispatch);
    return {};
  });
}

}  // namespace nnrt::vulkan
