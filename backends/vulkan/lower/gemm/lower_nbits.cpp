#include "backends/vulkan/lower/gemm/lower_nbits.h"

#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

enum Input : size_t { kInput, kWeight, kScales, kZeroPoints, kBias };

constexpr uint32_t kMaxRows = 4;  // must match matmul_nbits.comp

// The weights, at the start of the push constants.
struct WeightsPush {
  uint32_t columns = 0, inner = 0, row_bytes = 0, block = 0, blocks = 0;
};

struct NbitsMatMul {
  uint32_t rows = 0, bits = 0;
  WeightsPush weights;
  uint32_t activation = 0;
  std::optional<Buffer> bias;
};

Result<NbitsMatMul> nbits_of(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_TRY(count_of(node.shape(kWeight)));
  NNRT_ASSIGN(const uint32_t elements, count_of(node.shape(kInput)));
  NNRT_TRY(count_of(node.output_shape()));
  NbitsMatMul work;
  work.bits = uint32_t(node.attrs().integer(Attr::bits));
  WeightsPush& weights = work.weights;
  weights.columns = uint32_t(node.shape(kWeight)[0]);
  weights.row_bytes = uint32_t(node.shape(kWeight)[1]);
  weights.inner = uint32_t(with_dimension(node.shape(kInput)).back());
  weights.blocks = uint32_t(node.shape(kScales)[1]);
  const int64_t block = node.attrs().integer(Attr::block);
  weights.block = block == 0 ? weights.inner : uint32_t(std::min<int64_t>(block, weights.inner));
  work.rows = elements / weights.inner;
  work.activation = activation_of(node);
  if (node.input_count() > kBias) work.bias = context.input(kBias);
  return work;
}

WhyNot why_not_gemv(const LoweringContext&, const NbitsMatMul& work) {
  return work.rows <= kMaxRows ? WhyNot() : WhyNot("It does not support {} rows.", work.rows);
}

// True if no 32-bit word spans two rows or blocks.
bool has_whole_words(const NbitsMatMul& work) {
  const uint32_t per_word = 32 / work.bits;
  const WeightsPush& weights = work.weights;
  return weights.inner % per_word == 0 && (weights.blocks == 1 || weights.block % per_word == 0);
}

// The dispatch without its grid.
Dispatch gemv_of(const LoweringContext& context, const NbitsMatMul& work, std::string_view shader) {
  return {
      .shader = shader,
      .constants = {work.bits, work.rows, has_whole_words(work), work.bias.has_value(), work.activation},
      .push = Push(work.weights),
      .buffers = {context.input(kInput), context.input(kWeight), context.input(kScales),
                  context.input(kZeroPoints), work.bias.value_or(context.input(kScales)), context.output()}};
}

Status lower_gemv(const LoweringContext& context, const NbitsMatMul& work) {
  Dispatch dispatch = gemv_of(context, work, "matmul_nbits_f32");
  dispatch.threads = threads_for(work.weights.columns, context.plan, group_of_long(context.plan));
  dispatch.local = {group_of_long(context.plan), 1, 1};
  const WeightsPush& weights = work.weights;
  const uint64_t words = uint64_t{weights.inner} * work.bits / 32;
  dispatch.iterations = weights.inner + 2 * words + 2 * loop_of(weights.blocks);
  context.sink.add(std::move(dispatch));
  return {};
}

// Rows for row_groups.h: each column is a row of words.
Rows columns_of(const NbitsMatMul& work) {
  return {work.weights.columns, work.weights.inner * work.bits / 32, 1};
}

WhyNot why_not_shared_gemv(const LoweringContext& context, const NbitsMatMul& work) {
  if (const WhyNot why = why_not_gemv(context, work)) return why;
  if (!has_whole_words(work)) return "A word contains weights of two columns or blocks.";
  return why_not_row_groups(columns_of(work), context.plan, true);
}

Status lower_shared_gemv(const LoweringContext& context, const NbitsMatMul& work) {
  Dispatch dispatch = gemv_of(context, work, "matmul_nbits_f32_subgroups");
  const RowGroup group = row_group_for(columns_of(work), context.plan);
  dispatch.iterations = loop_by(columns_of(work).length, group.lanes, loop_of(32 / work.bits)) +
                        reduction_iterations(group.invocations());
  share_rows(dispatch, columns_of(work), context.plan);
  context.sink.add(std::move(dispatch));
  return {};
}

struct DequantizePush {
  WeightsPush weights;
  uint32_t count = 0;
};

Result<Buffer> dequantized(const LoweringContext& context, const NbitsMatMul& work) {
  const WeightsPush& weights = work.weights;
  const int64_t padded = int64_t(divide_up(weights.columns, kTileColumns)) * kTileColumns;
  NNRT_ASSIGN(const uint32_t elements, count_of({padded, weights.inner}));
  const Buffer floats = context.sink.scratch(size_t(elements) * sizeof(float));
  const DequantizePush push{weights, elements / 4};
  context.sink.add(Dispatch{
      .shader = "dequantize_nbits_f32",
      .constants = {work.bits},
      .push = Push(push),
      .buffers = {context.input(kWeight), context.input(kScales), context.input(kZeroPoints), floats},
      .threads = threads_for(push.count, context.plan),
      .local = {kGroup, 1, 1}});
  return floats;
}

Status lower_gemm(const LoweringContext& context, const NbitsMatMul& work) {
  NNRT_ASSIGN(const Buffer right, dequantized(context, work));
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(context.node));
  MatMul shape;
  shape.rows = work.rows;
  shape.columns = work.weights.columns;
  shape.inner = work.weights.inner;
  shape.transpose_b = true;
  return add_gemm(
      context,
      {.shape = shape, .output = context.output(), .bias = work.bias, .epilogue = epilogue, .right = right});
}

constexpr Kernel<NbitsMatMul> kKernels[] = {
    {"nbits_gemv_by_subgroups", why_not_shared_gemv, lower_shared_gemv},
    {"nbits_gemv", why_not_gemv, lower_gemv},
    {"nbits_gemm", nullptr, lower_gemm},
};

}  // namespace

Status lower_matmul_nbits(const LoweringContext& context) {
  NNRT_ASSIGN(const NbitsMatMul work, nbits_of(context));
  return lower_by_list(std::span<const Kernel<NbitsMatMul>>(kKernels), context, work);
}

std::vector<std::string_view> nbits_kernels() {
  return names_of(std::span<const Kernel<NbitsMatMul>>(kKernels));
}

}  // namespace nnrt::vulkan
