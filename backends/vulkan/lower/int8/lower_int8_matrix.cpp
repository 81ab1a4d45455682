#include "backends/vulkan/lower/int8/lower_int8_matrix.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/lower/gemm/shared_tiles.h"
#include "backends/vulkan/lower/int8/int8_operands.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

// Must match shaders/include/gemm/cooperative_matrix_tile.glsl.
constexpr uint32_t kInt8PerVector = 16;  // values per 16-byte vector
constexpr uint32_t kSlice = 8 * kInt8PerVector;

constexpr uint32_t kMinRows = 16;  // with fewer, reading the weights dominates

// Must match int8_matrix.comp.
struct Int8MatrixPush {
  uint32_t pixels = 0;
  Size2 out{}, in{};
  uint32_t pixel_vectors = 0, group_vectors = 0;
  uint32_t columns = 0, groups = 1;
  SpatialPush spatial;
  uint32_t matrices = 1, a_matrix = 0, b_matrix = 0;
  uint32_t part = 0;
  int32_t left_zero = 0;
  RequantizePush result;
};

// Must match add_int8_parts.comp.
struct SplitsPush {
  uint32_t count = 0, columns = 0, parts = 0;
  RequantizePush result;
};

struct Operands {
  Int8Work work;
  int32_t left_zero = 0;
  bool has_right_zeros = false;
  SharedBytes weight;  // set if the weights are constant

  uint32_t channels() const { return work.columns * work.groups; }
  bool has_constant() const { return weight != nullptr; }
};

Result<Operands> operands_of(const NodeView& node) {
  Operands operands;
  NNRT_ASSIGN(operands.work, int8_work_of(node));
  operands.left_zero = int32_t(node.input(0).quant.zero_points[0]);
  for (uint32_t c = 0; c < operands.channels(); ++c)
    operands.has_right_zeros = operands.has_right_zeros || right_zero_of(node, c) != 0;
  if (operands.work.matrices == 1) operands.weight = node.input(1).data;
  return operands;
}

// The sum of a column's weights.
int32_t column_sum(const Operands& operands, uint32_t column) {
  const uint32_t inner = operands.work.inner();
  const bool lies_across = operands.work.transposes_weight;
  const size_t first = lies_across ? column : size_t{column} * inner;
  const size_t step = lies_across ? operands.channels() : 1;
  int32_t sum = 0;
  for (size_t k = 0; k < inner; ++k) sum += int8_t((*operands.weight)[first + k * step]);
  return sum;
}

// Per output channel: the factor of its sums, the zero point zb of its weights, the part of sum (a - za)
// (b - zb) that does not depend on a, and the factor's digits. Integers wrap as in the kernels.
Bytes parameters_of(const NodeView& node, const Operands& operands) {
  std::vector<uint32_t> words;
  const auto left_zero = uint32_t(operands.left_zero);
  for (uint32_t c = 0; c < operands.channels(); ++c) {
    const auto right_zero = uint32_t(right_zero_of(node, c));
    uint32_t added = operands.work.inner() * left_zero * right_zero;
    if (operands.has_constant() && left_zero != 0) added -= left_zero * uint32_t(column_sum(operands, c));
    const auto [factor, digits] = sum_factor_bits_of(node, c);
    words.insert(words.end(), {factor, right_zero, added, digits});
  }
  Bytes bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

Int8MatrixPush push_of(const Operands& operands, const TileChoice& choice) {
  const Int8Work& work = operands.work;
  return {work.pixels,
          work.out,
          work.in,
          work.pixel / kInt8PerVector,
          work.group / kInt8PerVector,
          work.columns,
          work.groups,
          work.spatial,
          work.matrices,
          work.a_matrix / kInt8PerVector,
          work.b_matrix / kInt8PerVector,
          choice.split_length,
          operands.left_zero,
          {}};
}

std::string_view shader_of(const DevicePlan& plan) {
  if (plan.matrices.emulates_int8) return "int8_matrix_emulated";
  return plan.matrices.int8.inner < kInt8PerVector ? "int8_matrix_narrow" : "int8_matrix";
}

}  // namespace

WhyNot why_not_int8_matrix(const NodeView& node, const DevicePlan& plan, MatrixSource source) {
  if (plan.matrices.int8.rows == 0 || plan.matrices.emulates_int8 != (source == MatrixSource::emulated))
    return source == MatrixSource::emulated ? "It is for tests."
                                            : "INT8 cooperative matrices are not used on this device.";
  if (const WhyNot why = why_not_int8(node, kInt8PerVector)) return why;
  const auto work = int8_work_of(node);
  if (!work.ok()) return "Its shapes do not match.";
  const uint32_t rows = work.value().pixels;
  return rows < kMinRows ? WhyNot{"It has few rows ({}).", rows} : WhyNot();
}

Status lower_int8_matrix(const LoweringContext& context) {
  const NodeView& node = context.node;
  const DevicePlan& plan = context.plan;
  NNRT_ASSIGN(const Operands operands, operands_of(node));
  NNRT_ASSIGN(const RequantizePush result, requantize_push_of(node));
  const Int8Work& work = operands.work;
  const TileWork tiles{work.pixels, work.columns, work.matrices * work.groups, work.inner(), kSlice};
  NNRT_ASSIGN(const TileChoice choice, choose_shared_tile(context, tiles, TileSet::matrices));
  const bool is_split = choice.splits > 1;
  const Buffer parameters =
      context.sink.packed(node.node().outputs[0],
                          operands.has_constant() ? "factors of sums, sums of columns" : "vec4 of factors",
                          [&] { return parameters_of(node, operands); });
  const Buffer bias = int8_bias(context, parameters);
  const uint32_t count = work.pixels * operands.channels() / 4;  // words of results per matrix
  const Buffer to =
      is_split ? context.sink.scratch(size_t(choice.splits) * count * 4 * sizeof(int32_t)) : context.output();
  Int8MatrixPush push = push_of(operands, choice);
  push.result = result;
  const CooperativeMatrixShape& matrix = plan.matrices.int8;
  const SubgroupGrid grid = choice.tile.grid(plan.matrices.subgroup, matrix);
  const uint32_t group = grid.count() * plan.matrices.subgroup;
  const bool sums_columns = operands.left_zero != 0 && !operands.has_constant();
  Dispatch dispatch{.shader = shader_of(plan),
                    .constants = {work.is_gemm_of_pixels() ? 0u : 1u, operands.has_right_zeros, 0u,
                                  sums_columns, plan.matrices.subgroup, matrix.rows, matrix.columns,
                                  matrix.inner, grid.down, grid.across, choice.tile.rows},
                    .push = Push(push),
                    .buffers = {context.input(0), int8_weight(context, work), parameters, bias, to},
                    .threads = {choice.tile.tiles(work.pixels, work.columns) * work.groups * group, 1,
                                std::min(is_split ? choice.splits : work.matrices, plan.max_group_count[2])}};
  const MatrixSteps steps{is_split ? choice.split_length : work.inner(), kSlice, plan.matrices.subgroup};
  dispatch.iterations = loop_by(is_split ? 1 : work.matrices, dispatch.threads[2],
                                matrix_tile_iterations(choice.tile, grid, matrix, steps));
  NNRT_TRY(add_groups(context, std::move(dispatch), group));
  if (!is_split) return {};
  context.sink.add(Dispatch{.shader = "add_int8_parts",
                            .constants = {},
                            .push = Push(SplitsPush{count, operands.channels() / 4, choice.splits, result}),
                            .buffers = {to, parameters, bias, context.output()},
                            .threads = threads_for(count, plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

}  // namespace nnrt::vulkan
