#include "backends/vulkan/lower/gemm/lower_gemm.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/texel_views.h"
#include "backends/vulkan/lower/data_movement/copy_commands.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"
#include "backends/vulkan/lower/gemm/shared_tiles.h"
#include "core/base/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kFewRows = 4;        // fewer rows: one row per invocation
constexpr uint32_t kSoftwareGroup = 8;  // fills the widest vectors and still leaves work for the other cores

struct GemmPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t a_row = 0, a_step = 0;
  uint32_t b_block = 0, b_step = 0;
  uint32_t matrices = 0, batch = 0;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0, y_matrix = 0;
  uint32_t a_offset = 0, b_offset = 0, y_offset = 0;
  uint32_t first_block = 0, blocks = 0;
  uint32_t y_row = 0;
  uint32_t has_bias = 0;
  EpiloguePush epilogue{};
};

// The second operand as the kernel reads it, with strides in vec4.
struct Columns {
  Buffer buffer;
  uint32_t block = 0, step = 0, matrix = 0;
  uint64_t whole = 0;
};

struct Plan {
  TileKind kind{};
  bool vec4 = false, few_rows = false;
  bool is_half = false;  // multiplies in fp16
  uint32_t width = 1;    // left operand elements per load
  uint64_t left = 0;     // texels of the left operand; 0 if it is not read as texels
  Tile tile = kRegisterTile;
  TileChoice shared = {};  // for TileKind::shared_memory
};

bool in_vec4(const MatMul& shape) {
  return !shape.transpose_a && shape.inner % 4 == 0 && shape.columns % 4 == 0;
}

bool has_views(const Plan& plan) { return has_views(plan.kind); }

// Number of matrices in the second operand.
uint32_t right_matrices(const LoweringContext& context, const Gemm& gemm) {
  const MatMul& shape = gemm.shape;
  if (gemm.right) return uint32_t(nnrt::product(shape.batch, 0, shape.batch.size()));
  return uint32_t(*element_count(context.node.shape(1))) / uint32_t(shape.columns * shape.inner);
}

uint64_t left_row_texels(const MatMul& shape) { return in_vec4(shape) ? uint64_t(shape.inner / 4) : 0; }

uint64_t left_texels(const MatMul& shape) {
  return left_matrices(shape) * uint64_t(shape.rows) * left_row_texels(shape);
}

TileOperands operands_of(const LoweringContext& context, const Gemm& gemm) {
  const MatMul& shape = gemm.shape;
  const uint64_t block = uint64_t(shape.inner) * (kTileColumns / 4);
  TileOperands operands{left_row_texels(shape), block};
  if (in_vec4(shape) && shape.rows >= kFewRows) {
    const auto blocks = divide_up(uint64_t(shape.columns), kTileColumns);
    operands.whole = std::max(left_texels(shape), right_matrices(context, gemm) * blocks * block);
  }
  return operands;
}

Plan plan_of(const MatMul& shape, TileKind kind, bool may_be_half) {
  Plan plan{.kind = kind, .vec4 = in_vec4(shape), .few_rows = shape.rows < kFewRows};
  plan.is_half = plan.vec4 && may_be_half;
  plan.width = plan.vec4 ? 4 : 1;
  plan.tile = plan.few_rows ? kRowTile : tile_for(kind, plan.vec4, plan.is_half);
  if (has_views(plan) && plan.vec4) plan.left = left_texels(shape);
  return plan;
}

// Returns whether to repack column blocks contiguously first. Rows that are far apart map to few sets of the
// L1 cache, and every tile reads all of them. (Subgroup tiles read twice as much of each row.)
bool copies_blocks(const MatMul& shape, const Plan& plan) {
  constexpr int64_t kManyRows = 128, kManyElements = 32768;
  return plan.kind == TileKind::texel_buffer && plan.vec4 && shape.rows >= kManyRows &&
         shape.inner * shape.columns >= kManyElements;
}

Result<Buffer> repacked_blocks(const LoweringContext& context, const MatMul& shape, uint32_t matrices) {
  const int64_t inner = shape.inner, columns = shape.columns, wide = kTileColumns;
  const size_t bytes = size_t(matrices) * size_t(inner * columns) * sizeof(float);
  const Buffer to = context.sink.scratch(bytes);
  CopyRegion region;
  region.shape = {int64_t(matrices), columns / wide, inner, wide};
  region.from_strides = {inner * columns, wide, columns, 1};
  region.to_strides = {inner * columns, wide * inner, wide, 1};
  NNRT_TRY(add_copy_region(context, region, sizeof(float), context.input(1), to));
  return to;
}

Result<Columns> columns_of(const LoweringContext& context, const Gemm& gemm, uint32_t matrices,
                           const Plan& plan) {
  const MatMul& shape = gemm.shape;
  const auto rows = uint32_t(shape.columns);
  const auto inner = uint32_t(shape.inner);
  const PackedWeights packing{
      matrices,        rows, inner, rows * inner, shape.transpose_b ? inner : 1, shape.transpose_b ? 1 : rows,
      kTileColumns / 4};
  const auto in_vec4 = [&](const Buffer& buffer) {
    return Columns{buffer, inner * packing.wide, packing.wide, packing.matrix(), packing.count()};
  };
  if (gemm.right) return in_vec4(*gemm.right);
  const uint64_t whole = uint64_t(matrices) * inner * rows / 4;
  const bool fits = !has_views(plan) || whole <= context.plan.max_texels;
  if (!shape.transpose_b && rows % kTileColumns == 0 && fits && !context.node.input(1).is_constant()) {
    if (copies_blocks(shape, plan)) {
      NNRT_ASSIGN(const Buffer buffer, repacked_blocks(context, shape, matrices));
      return Columns{buffer, inner * kTileColumns / 4, kTileColumns / 4, inner * rows / 4, whole};
    }
    return Columns{context.input(1), kTileColumns / 4, rows / 4, inner * (rows / 4), whole};
  }
  NNRT_ASSIGN(const Buffer buffer, pack_weights(context, 1, packing));
  return in_vec4(buffer);
}

std::string_view shader_of(const Plan& plan) {
  if (plan.kind == TileKind::shared_memory) {
    if (plan.is_half) return "matmul_shared_memory_f32_vec4_half";
    return plan.vec4 ? "matmul_shared_memory_f32_vec4" : "matmul_shared_memory_f32";
  }
  if (plan.kind == TileKind::small_registers) {
    if (plan.is_half) return "matmul_f32_vec4_small_half";
    return plan.vec4 ? "matmul_f32_vec4_small" : "matmul_f32_small";
  }
  if (plan.kind == TileKind::subgroup) return "matmul_f32_vec4_subgroup8";
  if (has_views(plan)) {
    if (plan.few_rows) return "matmul_f32_vec4_row_texels";
    return plan.vec4 ? "matmul_f32_vec4_texels" : "matmul_f32_texels";
  }
  if (plan.vec4) return plan.few_rows ? "matmul_f32_vec4_row" : "matmul_f32_vec4";
  return plan.few_rows ? "matmul_f32_row" : "matmul_f32";
}

GemmPush push_of(const MatMul& shape, const Columns& columns, uint32_t width) {
  GemmPush push;
  push.rows = uint32_t(shape.rows);
  push.columns = uint32_t(shape.columns);
  push.inner = uint32_t(shape.inner);
  push.a_row = shape.transpose_a ? 1 : push.inner / width;
  push.a_step = shape.transpose_a ? push.rows : 1;
  push.b_block = columns.block;
  push.b_step = columns.step;
  push.y_matrix = push.rows * push.columns;
  push.blocks = divide_up(push.columns, kTileColumns);
  return push;
}

}  // namespace

Status add_line(const LoweringContext& context, Dispatch dispatch) {
  const DevicePlan& plan = context.plan;
  uint32_t x = plan.is_software ? kSoftwareGroup : plan.full_group;
  while ((dispatch.threads[0] - 1) / x >= plan.max_group_count[0] && 2 * x <= plan.max_group_invocations) {
    x *= 2;
  }
  return add_groups(context, std::move(dispatch), x);
}

Status add_groups(const LoweringContext& context, Dispatch dispatch, uint32_t invocations) {
  const DevicePlan& plan = context.plan;
  dispatch.local = {invocations, 1, 1};
  for (size_t d = 0; d < 3; ++d) {
    const uint32_t groups = divide_up(dispatch.threads[d], dispatch.local[d]);
    if (groups > plan.max_group_count[d]) {
      return unsupported("Workgroups (", groups, ") exceed ", plan.max_group_count[d], ".");
    }
  }
  context.sink.add(std::move(dispatch));
  return {};
}

namespace {

uint64_t iterations_of_matrix(const Plan& plan, uint32_t inner) {
  constexpr uint64_t kResults = 256;  // to store a tile's results
  if (plan.kind == TileKind::shared_memory) return shared_tile_iterations(inner) + kResults;
  return loop_of(inner / plan.width) + kResults;
}

class Adder {
 public:
  Adder(const LoweringContext& context, const Plan& plan, const Columns& columns, Dispatch dispatch)
      : context_(context), plan_(plan), columns_(columns), dispatch_(std::move(dispatch)) {}

  // Adds the matrices at the push's offsets: in one dispatch if the views cover both operands, else in
  // batches that they cover.
  Status add(const GemmPush& push) {
    const uint32_t max_matrices = max_batch(push);
    for (uint32_t matrix = 0; matrix < push.matrices; matrix += max_matrices) {
      const uint32_t outer = matrix / push.batch;
      const uint32_t nth = matrix % push.batch;
      GemmPush some = push;
      some.matrices = std::min(max_matrices, push.matrices - matrix);
      some.batch = std::min(some.matrices, push.batch);
      some.a_offset += outer * push.a_outer + nth * push.a_inner;
      some.b_offset += outer * push.b_outer + nth * push.b_inner;
      some.y_offset += matrix * push.y_matrix;
      NNRT_TRY(add_dispatches(some));
    }
    return {};
  }

 private:
  uint64_t left() const { return has_views(plan_) ? plan_.left : 0; }
  uint64_t right() const { return has_views(plan_) ? columns_.whole : 0; }

  uint32_t max_batch(const GemmPush& push) const {
    const DevicePlan& plan = context_.plan;
    if (std::max(left(), right()) <= plan.max_texels) return push.matrices;
    uint64_t max_matrices = push.batch == push.matrices ? push.matrices : 1;
    const auto limit = [&](uint64_t whole, uint64_t matrix) {
      if (whole > plan.max_texels)
        max_matrices = std::min(max_matrices, matrix == 0 ? 1 : texels_of_part(plan) / matrix);
    };
    limit(left(), push.a_inner);
    limit(right(), push.b_inner);
    return uint32_t(std::max<uint64_t>(max_matrices, 1));
  }

  // Splits an operand of `whole` texels into views: by rows or blocks within one matrix, or by matrices.
  std::vector<TexelRange> cuts_of(uint64_t from, uint32_t count, uint64_t unit, uint64_t whole, uint32_t even,
                                  uint64_t matrices_behind) const {
    const bool is_split = whole > context_.plan.max_texels;
    if (matrices_behind == 0 || !is_split) return cut_units(from, count, unit, whole, even, context_.plan);
    TexelRange all = view_of(from, matrices_behind + count * unit, context_.plan);
    all.count = count;
    return {all};
  }

  Status add_dispatches(const GemmPush& push) {
    const uint32_t matrices = push.matrices;
    const DevicePlan& plan = context_.plan;
    const uint64_t behind = matrices - 1;
    for (const TexelRange& rows :
         cuts_of(push.a_offset, push.rows, push.a_row, left(), plan_.tile.rows, behind * push.a_inner)) {
      for (const TexelRange& blocks :
           cuts_of(push.b_offset, push.blocks, push.b_block, right(), 1, behind * push.b_inner)) {
        GemmPush part = push;
        part.rows = rows.count;
        part.a_offset = rows.skip;
        part.y_offset += rows.first * push.y_row;
        part.first_block = blocks.first;
        part.blocks = blocks.count;
        part.b_offset = blocks.skip;
        dispatch_.push = Push(part);
        dispatch_.slices = {rows.slice, blocks.slice};
        const uint32_t depth = std::min(matrices, plan.max_group_count[2]);
        dispatch_.iterations = loop_by(matrices, depth, iterations_of_matrix(plan_, part.inner));
        if (plan_.kind == TileKind::shared_memory) {
          const SharedTile& tile = plan_.shared.tile;
          const uint32_t tiles = tile.tiles(part.rows, part.blocks * kTileColumns);
          dispatch_.threads = {tiles * tile.invocations, 1, depth};
          NNRT_TRY(add_groups(context_, dispatch_, tile.invocations));
          continue;
        }
        const Tile& tile = plan_.tile;
        dispatch_.threads = {tile.down(part.rows) * tile.across(part.blocks) * tile.invocations, 1, depth};
        NNRT_TRY(add_line(context_, dispatch_));
      }
    }
    return {};
  }

  const LoweringContext& context_;
  const Plan& plan_;
  const Columns& columns_;
  Dispatch dispatch_;
};

TileWork tile_work_of(const MatMul& shape, const Plan& plan) {
  TileWork work{uint32_t(shape.rows), uint32_t(shape.columns)};
  work.matrices = uint32_t(nnrt::product(shape.batch, 0, shape.batch.size()));
  work.inner = uint32_t(shape.inner);
  work.inner_unit = plan.width;
  work.equal_splits = true;
  work.is_half = plan.is_half;
  return work;
}

std::vector<uint32_t> constants_of(const Epilogue& epilogue, const Plan& plan) {
  std::vector<uint32_t> constants{epilogue.post_op, epilogue.added ? 1u : 0u};
  if (plan.kind != TileKind::shared_memory) return constants;
  constants.push_back(0);  // used by convolutions only
  plan.shared.tile.append_to(constants);
  return constants;
}

// Split-K: a batched GEMM over the splits, then a reduction.
Status add_split_k(const LoweringContext& context, const Gemm& gemm, const Plan& plan) {
  const MatMul& shape = gemm.shape;
  const uint32_t parts = plan.shared.splits;
  NNRT_ASSIGN(const Columns columns, columns_of(context, gemm, right_matrices(context, gemm), plan));
  GemmPush push = push_of(shape, columns, plan.width);
  push.inner = plan.shared.split_length;
  push.matrices = push.batch = parts;
  push.a_inner = push.inner / plan.width * push.a_step;
  push.b_inner = push.inner * columns.step;
  push.b_offset = gemm.first * columns.matrix;
  push.y_row = push.columns;
  push.epilogue = push_of(Epilogue{});
  const Buffer left = gemm.left.value_or(context.input(0));
  const Buffer sums = context.sink.scratch(size_t(parts) * push.y_matrix * sizeof(float));
  Adder adder(context, plan, columns,
              {.shader = shader_of(plan),
               .constants = constants_of({}, plan),
               .push = {},
               .buffers = {left, columns.buffer, left, sums, left}});
  NNRT_TRY(adder.add(push));
  add_split_sums(context, {sums, push.rows, push.columns, parts, gemm.bias}, gemm.epilogue,
                 output_rows(context, gemm));
  return {};
}

}  // namespace

View output_rows(const LoweringContext& context, const Gemm& gemm) {
  const auto columns = uint32_t(gemm.shape.columns);
  const size_t rank = gemm.shape.batch.size();
  const bool is_all =
      gemm.output.space == Buffer::Space::tensor && nnrt::product(gemm.shape.batch, 0, rank) == 1;
  return is_all ? output_rows(context, gemm.epilogue, columns) : View::rows(gemm.output, columns);
}

WhyNot why_not_tiles(const LoweringContext& context, const Gemm& gemm, TileKind kind) {
  const MatMul& shape = gemm.shape;
  const bool few_rows = shape.rows < kFewRows;
  switch (kind) {
    case TileKind::subgroup: return why_not_subgroup_tile(operands_of(context, gemm), context.plan);
    case TileKind::texel_buffer:
      if (few_rows && !in_vec4(shape)) return {"It has few rows ({}), not in vec4.", shape.rows};
      return why_not_texel_buffer(operands_of(context, gemm), context.plan);
    case TileKind::shared_memory:
      if (few_rows) return {"It has few rows ({}).", shape.rows};
      return why_not_shared_memory_tile(context.plan);
    case TileKind::small_registers:
      if (few_rows) return {"It has few rows ({}).", shape.rows};
      return why_not_small_tile(context.plan);
    case TileKind::registers: break;
  }
  return {};
}

uint64_t tile_iterations(const Gemm& gemm, TileKind kind) {
  return loop_of(1, iterations_of_matrix(plan_of(gemm.shape, kind, false), uint32_t(gemm.shape.inner)));
}

Status add_gemm_tiles(const LoweringContext& context, const Gemm& gemm, TileKind kind) {
  const MatMul& shape = gemm.shape;
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const bool reads_inputs = !gemm.left && !gemm.right;
  Plan plan = plan_of(shape, kind, reads_inputs && multiplies_in_fp16(context.node, context.plan));
  if (kind == TileKind::shared_memory) {
    NNRT_ASSIGN(plan.shared, choose_shared_tile(context, tile_work_of(shape, plan)));
    if (plan.shared.splits > 1) return add_split_k(context, gemm, plan);
  }
  NNRT_ASSIGN(const Columns columns, columns_of(context, gemm, right_matrices(context, gemm), plan));

  const uint32_t a_matrix = uint32_t(shape.rows * shape.inner) / plan.width;
  GemmPush push = push_of(shape, columns, plan.width);
  push.batch = uint32_t(batch.shape.back());
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * columns.matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * columns.matrix;
  push.has_bias = gemm.bias ? 1 : 0;
  push.epilogue = push_of(gemm.epilogue);

  const View to = output_rows(context, gemm);
  push.y_row = to.row();
  const Buffer left = gemm.left.value_or(context.input(0));
  Adder adder(context, plan, columns,
              {.shader = shader_of(plan),
               .constants = constants_of(gemm.epilogue, plan),
               .push = {},
               .buffers = {left, columns.buffer, gemm.bias.value_or(left), to.buffer,
                           epilogue_operand(context, gemm.epilogue, left)}});
  return for_each_outer(batch, [&](uint32_t a, uint32_t b, uint32_t y, uint32_t matrices) {
    push.matrices = matrices;
    push.a_offset = a * a_matrix;
    push.b_offset = (gemm.first + b) * columns.matrix;
    push.y_offset = to.offset + y * push.rows * push.columns;
    return adder.add(push);
  });
}

}  // namespace nnrt::vulkan
