#include "backends/vulkan/lower/product.h"

#include "backends/vulkan/lower/common.h"
#include "backends/vulkan/lower/fours.h"
#include "backends/vulkan/lower/matrices.h"
#include "backends/vulkan/lower/operands.h"
#include "backends/vulkan/lower/paths.h"
#include "backends/vulkan/lower/quick.h"
#include "backends/vulkan/lower/region.h"
#include "backends/vulkan/lower/texel_views.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kFewRows = 4;  // below, an invocation has one row
constexpr uint32_t kGroupTiles = 32;
constexpr uint32_t kSoftwareGroup = 8;  // fills the widest vectors, and leaves work for the other cores

struct ProductPush {
  uint32_t rows = 0, columns = 0, inner = 0;
  uint32_t a_row = 0, a_step = 0;
  uint32_t b_block = 0, b_step = 0;
  uint32_t matrices = 0, batch = 0;
  uint32_t a_outer = 0, a_inner = 0, b_outer = 0, b_inner = 0, y_matrix = 0;
  uint32_t a_offset = 0, b_offset = 0, y_offset = 0;
  uint32_t first_block = 0, blocks = 0;
  uint32_t y_row = 0;
  uint32_t has_bias = 0;
  FinishPush finish{};
};

// The second operand as the kernel reads it, strides in fours.
struct Columns {
  Buffer buffer;
  uint32_t block = 0, step = 0, matrix = 0;
  uint64_t whole = 0;
};

// A product on its way to the GPU.
struct Plan {
  PathId path{};
  bool fours = false, few_rows = false;
  uint32_t width = 1;  // of what is read of the left operand at once
  uint64_t left = 0;   // texels of all of the left operand; 0: it is not read so
  Tile tile = kOwnTile;
};

bool in_fours(const MatMul& shape) {
  return !shape.transpose_a && shape.inner % 4 == 0 && shape.columns % 4 == 0;
}

bool has_views(const Plan& plan) { return plan.path == PathId::octets || plan.path == PathId::formatted; }

// `right`: texels of the second operand as the kernel reads it.
Plan plan_of(const LoweringContext& context, const MatMul& shape, uint64_t right) {
  Plan plan;
  plan.fours = in_fours(shape);
  plan.few_rows = shape.rows < kFewRows;
  plan.width = plan.fours ? 4 : 1;
  const uint64_t row = plan.fours ? uint64_t(shape.inner / 4) : 0;
  const uint64_t left = left_matrices(shape) * uint64_t(shape.rows) * row;
  Work work{row, uint64_t(shape.inner) * (kTileColumns / 4)};
  if (plan.fours && !plan.few_rows) work.together = std::max(left, right);
  const bool has_choice = plan.fours || !plan.few_rows;
  plan.path = has_choice ? choose_path(work, context.plan) : PathId::registers;
  if (plan.path == PathId::shared && plan.few_rows) plan.path = PathId::registers;
  if (plan.few_rows) {
    plan.tile = kRowTile;
  } else if (plan.fours) {
    plan.tile = tile_for(plan.path);
  }
  if (has_views(plan) && plan.fours) plan.left = left;
  return plan;
}

// Whether blocks of columns are to be copied one behind the other first: rows far apart lie in few places of
// a processor's first cache, and each of many tiles reads all of them. (Eight invocations together read twice
// as much of a row.)
bool copies_blocks(const MatMul& shape, const Plan& plan) {
  constexpr int64_t kManyRows = 128, kManyElements = 32768;
  return plan.path == PathId::formatted && plan.fours && shape.rows >= kManyRows &&
         shape.inner * shape.columns >= kManyElements;
}

Result<Buffer> copied_blocks(const LoweringContext& context, const MatMul& shape, uint32_t matrices) {
  const int64_t inner = shape.inner, columns = shape.columns, wide = kTileColumns;
  const size_t bytes = size_t(matrices) * size_t(inner * columns) * sizeof(float);
  const Buffer to = context.sink.scratch(bytes);
  CopyRegion region;
  region.shape = {int64_t(matrices), columns / wide, inner, wide};
  region.from_strides = {inner * columns, wide, columns, 1};
  region.to_strides = {inner * columns, wide * inner, wide, 1};
  NNRT_TRY(add_region(context, region, sizeof(float), context.input(1), to));
  return to;
}

Result<Columns> columns_of(const LoweringContext& context, const Product& product, uint32_t matrices,
                           const Plan& plan) {
  const MatMul& shape = product.shape;
  const auto rows = uint32_t(shape.columns);
  const auto inner = uint32_t(shape.inner);
  const Fours fours{
      matrices,        rows, inner, rows * inner, shape.transpose_b ? inner : 1, shape.transpose_b ? 1 : rows,
      kTileColumns / 4};
  const auto in_fours = [&](const Buffer& buffer) {
    return Columns{buffer, inner * fours.wide, fours.wide, fours.matrix(), fours.count()};
  };
  if (product.right) return in_fours(*product.right);
  const uint64_t whole = uint64_t(matrices) * inner * rows / 4;
  const bool fits = !has_views(plan) || whole <= context.plan.max_texels;
  if (!shape.transpose_b && rows % kTileColumns == 0 && fits && !context.node.input(1).is_constant()) {
    if (copies_blocks(shape, plan)) {
      NNRT_ASSIGN(const Buffer buffer, copied_blocks(context, shape, matrices));
      return Columns{buffer, inner * kTileColumns / 4, kTileColumns / 4, inner * rows / 4, whole};
    }
    return Columns{context.input(1), kTileColumns / 4, rows / 4, inner * (rows / 4), whole};
  }
  NNRT_ASSIGN(const Buffer buffer, pack_fours(context, 1, fours));
  return in_fours(buffer);
}

std::string_view shader_of(const Plan& plan) {
  if (plan.path == PathId::shared) return plan.fours ? "matmul_shared_f32_vec4" : "matmul_shared_f32";
  if (plan.path == PathId::octets) return "matmul_f32_vec4_octets";
  if (has_views(plan)) {
    if (plan.few_rows) return "matmul_f32_vec4_row_texels";
    return plan.fours ? "matmul_f32_vec4_texels" : "matmul_f32_texels";
  }
  if (plan.fours) return plan.few_rows ? "matmul_f32_vec4_row" : "matmul_f32_vec4";
  return plan.few_rows ? "matmul_f32_row" : "matmul_f32";
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
  push.y_matrix = push.rows * push.columns;
  push.blocks = (push.columns - 1) / kTileColumns + 1;
  return push;
}

}  // namespace

Status add_line(const LoweringContext& context, Dispatch dispatch) {
  const DevicePlan& plan = context.plan;
  uint32_t x = plan.is_software ? kSoftwareGroup : kGroupTiles;
  while ((dispatch.threads[0] - 1) / x >= plan.max_group_count[0] && 2 * x <= plan.max_group_invocations) {
    x *= 2;
  }
  return add_groups(context, std::move(dispatch), x);
}

Status add_groups(const LoweringContext& context, Dispatch dispatch, uint32_t invocations) {
  const DevicePlan& plan = context.plan;
  dispatch.local = {invocations, 1, 1};
  for (size_t d = 0; d < 3; ++d) {
    const uint32_t groups = (dispatch.threads[d] - 1) / dispatch.local[d] + 1;
    if (groups > plan.max_group_count[d]) {
      return unsupported("Workgroups (", groups, ") exceed ", plan.max_group_count[d], ".");
    }
  }
  context.sink.add(std::move(dispatch));
  return {};
}

namespace {

class Adder {
 public:
  Adder(const LoweringContext& context, const Plan& plan, const Columns& columns, Dispatch dispatch)
      : context_(context), plan_(plan), columns_(columns), dispatch_(std::move(dispatch)) {}

  // Matrices at the push's places: in one dispatch where views show both operands whole, else as many as
  // they show of both.
  Status add(const ProductPush& push) {
    const uint32_t most = most_together(push);
    for (uint32_t matrix = 0; matrix < push.matrices; matrix += most) {
      const uint32_t outer = matrix / push.batch;
      const uint32_t nth = matrix % push.batch;
      ProductPush some = push;
      some.matrices = std::min(most, push.matrices - matrix);
      some.batch = std::min(some.matrices, push.batch);
      some.a_offset += outer * push.a_outer + nth * push.a_inner;
      some.b_offset += outer * push.b_outer + nth * push.b_inner;
      some.y_offset += matrix * push.y_matrix;
      NNRT_TRY(add_matrices(some));
    }
    return {};
  }

 private:
  uint64_t left() const { return has_views(plan_) ? plan_.left : 0; }
  uint64_t right() const { return has_views(plan_) ? columns_.whole : 0; }

  uint32_t most_together(const ProductPush& push) const {
    const DevicePlan& plan = context_.plan;
    if (std::max(left(), right()) <= plan.max_texels) return push.matrices;
    uint64_t most = push.batch == push.matrices ? push.matrices : 1;
    const auto limit = [&](uint64_t whole, uint64_t matrix) {
      if (whole > plan.max_texels) most = std::min(most, matrix == 0 ? 1 : texels_of_part(plan) / matrix);
    };
    limit(left(), push.a_inner);
    limit(right(), push.b_inner);
    return uint32_t(std::max<uint64_t>(most, 1));
  }

  // What a dispatch sees of an operand of `whole` texels: units of one matrix, or some matrices.
  std::vector<Cut> cuts_of(uint64_t from, uint32_t count, uint64_t unit, uint64_t whole, uint32_t even,
                           uint64_t matrices_behind) const {
    const bool is_cut = whole > context_.plan.max_texels;
    if (matrices_behind == 0 || !is_cut) return cut_units(from, count, unit, whole, even, context_.plan);
    Cut all = view_of(from, matrices_behind + count * unit, context_.plan);
    all.count = count;
    return {all};
  }

  Status add_matrices(const ProductPush& push) {
    const uint32_t matrices = push.matrices;
    const DevicePlan& plan = context_.plan;
    const uint64_t behind = matrices - 1;
    for (const Cut& rows :
         cuts_of(push.a_offset, push.rows, push.a_row, left(), plan_.tile.rows, behind * push.a_inner)) {
      for (const Cut& blocks :
           cuts_of(push.b_offset, push.blocks, push.b_block, right(), 1, behind * push.b_inner)) {
        ProductPush part = push;
        part.rows = rows.count;
        part.a_offset = rows.skip;
        part.y_offset += rows.first * push.y_row;
        part.first_block = blocks.first;
        part.blocks = blocks.count;
        part.b_offset = blocks.skip;
        dispatch_.push = Push(part);
        dispatch_.slices = {rows.slice, blocks.slice};
        const uint32_t depth = std::min(matrices, plan.max_group_count[2]);
        if (plan_.path == PathId::shared) {
          dispatch_.threads = {shared_threads(part.rows, part.blocks), 1, depth};
          NNRT_TRY(add_groups(context_, dispatch_, kSharedGroup));
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

}  // namespace

Placement placement_of(const LoweringContext& context, const Product& product) {
  const auto columns = uint32_t(product.shape.columns);
  const size_t rank = product.shape.batch.size();
  const bool is_all =
      product.output.space == Buffer::Space::tensor && nnrt::product(product.shape.batch, 0, rank) == 1;
  return is_all ? placement_of(context, product.finish, columns) : Placement{product.output, 0, columns};
}

Status add_product(const LoweringContext& context, const Product& product) {
  if (is_quick(context.plan)) return add_quick_product(context, product);
  const MatMul& shape = product.shape;
  NNRT_TRY(count_of(context.node.shape(0)));
  NNRT_TRY(count_of(context.node.shape(1)));
  NNRT_TRY(count_of(context.node.output_shape()));
  if (!refuse_matrices(context, product)) return add_matrices(context, product);
  const Collapsed batch = collapse(shape.batch, std::vector{shape.batch_stride_a, shape.batch_stride_b});
  const auto b_count = uint32_t(*element_count(context.node.shape(1)));
  const uint32_t right_matrices = product.right ? uint32_t(nnrt::product(shape.batch, 0, shape.batch.size()))
                                                : b_count / uint32_t(shape.columns * shape.inner);
  const auto blocks = uint64_t(shape.columns - 1) / kTileColumns + 1;
  const Plan plan =
      plan_of(context, shape, right_matrices * blocks * uint64_t(shape.inner) * (kTileColumns / 4));
  NNRT_ASSIGN(const Columns columns, columns_of(context, product, right_matrices, plan));

  const uint32_t a_matrix = uint32_t(shape.rows * shape.inner) / plan.width;
  ProductPush push = push_of(shape, columns, plan.width);
  push.batch = uint32_t(batch.shape.back());
  push.a_inner = stride_at(batch, 0, 1) * a_matrix;
  push.b_inner = stride_at(batch, 1, 1) * columns.matrix;
  push.a_outer = stride_at(batch, 0, 2) * a_matrix;
  push.b_outer = stride_at(batch, 1, 2) * columns.matrix;
  push.has_bias = product.bias ? 1 : 0;
  push.finish = push_of(product.finish);

  const Placement placement = placement_of(context, product);
  push.y_row = placement.pitch;
  const Buffer left = product.left.value_or(context.input(0));
  Adder adder(context, plan, columns,
              {.shader = variant_for(product.finish, shader_of(plan)),
               .constants = {product.finish.then, product.finish.added ? 1u : 0u},
               .push = {},
               .buffers = {left, columns.buffer, product.bias.value_or(left), placement.buffer,
                           added_to(context, product.finish, left)}});
  return for_each_outer(batch, [&](uint32_t a, uint32_t b, uint32_t y, uint32_t matrices) {
    push.matrices = matrices;
    push.a_offset = a * a_matrix;
    push.b_offset = (product.first + b) * columns.matrix;
    push.y_offset = placement.first + y * push.rows * push.columns;
    return adder.add(push);
  });
}

}  // namespace nnrt::vulkan
