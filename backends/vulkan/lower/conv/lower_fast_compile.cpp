#include "backends/vulkan/lower/conv/lower_fast_compile.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/matmul_operands.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/conv/lower_depthwise.h"
#include "backends/vulkan/lower/conv/padded_input.h"
#include "backends/vulkan/lower/gemm/fast_compile_gemm.h"
#include "backends/vulkan/lower/gemm/packed_weights.h"
#include "backends/vulkan/memory/buffer_region.h"
#include "core/base/text.h"

#include <algorithm>
#include <cstring>

namespace nnrt::vulkan {
namespace {

Buffer padded_weights(const LoweringContext& context, uint32_t channels, uint32_t wide) {
  const ByteView data = *context.node.input(1).data;
  const uint64_t rows = elements_of(context.node.shape(1)) / channels;
  const size_t run = channels * sizeof(float), wide_run = wide * sizeof(float);
  const auto pack = [=](uint64_t offset, std::span<std::byte> to) {
    for (size_t i = offset / wide_run; !to.empty(); ++i, to = to.subspan(wide_run)) {
      std::memcpy(to.data(), data.data() + i * run, run);
      std::fill_n(to.data() + run, wide_run - run, std::byte{});
    }
  };
  return context.sink.packed(context.node.node().inputs[1], cat("channels made up to ", wide),
                             {rows * wide_run, wide_run, pack}, rows * wide_run);
}

Status add_spatial(const LoweringContext& context, const SpatialParams& spatial, bool transposed) {
  const NodeView& node = context.node;
  NNRT_TRY(check_spatial(spatial));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  FastCompilePush push;
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  push.pixels = uint32_t(node.shape(0)[0]) * push.out[0] * push.out[1];
  push.groups = groups_of(node);
  push.pixel_packs = uint32_t(node.shape(0)[3]);
  push.group_packs = push.pixel_packs / push.groups;
  push.columns = uint32_t(node.shape(1)[0]) / push.groups;
  push.spatial = push_of(spatial);

  FastCompileOperands operands{context.input(0), context.input(1), 0};
  const uint32_t channels = push.group_packs;
  const PaddedInput padded = vulkan::padded_input_of(node, spatial, push.groups, transposed);
  const uint32_t wide = padded.channels;
  uint64_t input = elements_of(node.shape(0)), weights = elements_of(node.shape(1));
  if (padded.changes(node)) {
    operands = {padded_input(context, padded, true).buffer, padded_weights(context, channels, wide), 0};
    push.in = size2(padded.spatial.in);
    push.spatial = push_of(padded.spatial);
    push.pixel_packs = wide;
    push.group_packs = wide * padded.across;
    input = uint64_t(node.shape(0)[0]) * push.in[0] * push.in[1] * wide;
    weights = weights / channels * wide;
  }
  operands.largest = std::max(input, weights) / 4;
  const View to = output_rows(context, epilogue, push.columns * push.groups);
  return add_fast_compile_gemm(context, push, operands, context.input(2), to, epilogue, transposed);
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
  const uint64_t largest =
      std::max(elements_of(node.shape(0)), round_up(uint64_t(out_channels), 4) * cells) / 4;
  const bool vectors =
      in_channels == out_channels && out_channels % 4 == 0 && shows_texels(largest, context.plan);
  const uint32_t width = vectors ? 4 : 1;
  DepthwisePush push{.out = size2(spatial.out), .in = size2(spatial.in)};
  push.rows = uint32_t(node.shape(0)[0]) * push.out[0];
  push.out_parts = out_channels / width;
  push.in_parts = in_channels / width;
  push.multiplier = out_channels / in_channels;
  push.spatial = push_of(spatial);
  push.epilogue = push_of(epilogue);
  const uint64_t threads = uint64_t(push.rows) * divide_up(push.out[1], kFastCompileSide) * push.out_parts;
  Dispatch dispatch{
      .shader = vectors ? "depthwise_fast_compile_f32_vec4_texels" : "depthwise_fast_compile_f32",
      .constants = {epilogue.post_op},
      .push = Push(push),
      .buffers = {context.input(0), weight, context.input(2), context.output(),
                  epilogue_operand(context, epilogue, weight)},
      .iterations = spatial_iterations(push.spatial, 0)};
  return add_fast_compile_tiles(context, std::move(dispatch), threads);
}

}  // namespace nnrt::vulkan
