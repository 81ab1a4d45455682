#include "backends/vulkan/lower/conv/lower_winograd.h"

#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/conv/winograd_weights.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "backends/vulkan/memory/buffer_region.h"
#include "core/base/text.h"
#include "core/memory/deferred_bytes.h"
#include "core/passes/winograd_range.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

// Size of a slice of tiles: intermediate data should fit the cache and be small compared with the model's
// tensors, but weights should be reused by many tiles, and on a GPU every dispatch must fill all cores.
constexpr uint64_t kSliceBytes = uint64_t{2} << 20, kSliceBytesOnGpu = uint64_t{32} << 20;
constexpr uint64_t kMinTiles = 64;
constexpr uint32_t kRows = kTexelBufferTile.rows;  // rows of a GEMM tile on software drivers

// Cost of loading and storing one byte in the transforms, in multiply-adds of the subgroup8 GEMM and of
// slower GEMMs.
constexpr double kTransformBytesSubgroup8 = 50, kTransformBytes = 30;

// Registers of the transforms, as RADV compiles them.
constexpr uint32_t registers_of(uint32_t side) { return side == 4 ? 192 : 80; }

// Saving fewer multiply-adds is not worth compiling the transform shaders.
constexpr double kMinSaved = 12e6;

struct InPush {
  uint32_t count = 0, first = 0;
  Size2 tiles{}, in{};
  uint32_t parts = 0;
  std::array<int32_t, 2> before{};
  Size2 out{};
  float range = kWinogradRange, limit = 0;
};

struct OutPush {
  uint32_t count = 0, first = 0;
  Size2 tiles{}, out{};
  uint32_t parts = 0, y_first = 0, y_pixel = 0;
  uint32_t adds = 0;
  EpiloguePush epilogue{};
  Size2 in{};
  uint32_t in_parts = 0;
  std::array<int32_t, 2> before{};
};

// A convolution in tiles of `side` x `side` results.
struct Tiling {
  uint32_t side = 0, in_channels = 0, out_channels = 0, images = 0;
  Size2 tiles{};  // per image

  uint32_t points() const { return (side + 2) * (side + 2); }
  uint32_t count() const { return images * tiles[0] * tiles[1]; }
  uint64_t bytes() const {  // intermediate data per tile
    return uint64_t(points()) * (in_channels + out_channels) * sizeof(float);
  }
  // Tiles per slice; only the last slice may have fewer.
  uint32_t slice(const DevicePlan& plan) const {
    const uint64_t max_bytes = plan.is_software ? kSliceBytes : kSliceBytesOnGpu;
    const auto max_rows = uint32_t(std::max(max_bytes / bytes() / kRows * kRows, kMinTiles));
    return round_up(divide_up(count(), divide_up(count(), max_rows)), kRows);
  }
};

Tiling tiling_of(const NodeView& node, const SpatialParams& spatial, uint32_t side) {
  const Size2 out = size2(spatial.out);
  return {side,
          uint32_t(node.shape(0)[3]),
          uint32_t(node.shape(1)[0]),
          uint32_t(node.shape(0)[0]),
          {divide_up(out[0], side), divide_up(out[1], side)}};
}

WhyNot why_not_shapes(const LoweringContext& context, const SpatialParams& spatial) {
  constexpr std::array<int64_t, 2> kOnes{1, 1}, kThrees{3, 3};
  const NodeView& node = context.node;
  if (node.op() != Op::conv2d) return "It is transposed.";
  if (spatial.kernel != kThrees || spatial.stride != kOnes || spatial.dilation != kOnes)
    return "Its kernel is not 3x3 with stride 1.";
  if (groups_of(node) != 1) return "It has groups.";
  if (!node.input(1).is_constant()) return "Its weights are only known at run time.";
  const int64_t in = node.shape(0)[3], out = node.shape(1)[0];
  // The direct sums of a tile take 48 iterations per four channels, and drivers may limit the iterations of
  // an invocation.
  constexpr int64_t kMaxChannels = 4096;
  if (in > kMaxChannels) return {"It has {} input channels; the limit is {}.", in, kMaxChannels};
  if (in % 4 != 0 || out % 4 != 0) return {"Its channels ({} to {}) are not multiples of 4.", in, out};
  if (out == 0 || in == 0 || tiling_of(node, spatial, 4).count() == 0) return "There is nothing to compute.";
  return {};
}

// The largest input magnitude that is safe with these weights; no limit if only shapes are known.
float limit_of(const LoweringContext& context) {
  const NodeView& node = context.node;
  const SharedBytes& weights = node.input(1).data;
  if (weights->empty()) return std::numeric_limits<float>::max();
  return context.sink.winograd_limit(node.node().inputs[1], [&] {
    require_read(weights);
    return winograd_limit({reinterpret_cast<const float*>(weights->data()), weights->size() / sizeof(float)},
                          node.shape(1)[0], 9);
  });
}

// Converts a time into the number of multiply-adds that take as long.
double in_multiplies(double microseconds, const DevicePlan& plan) {
  return microseconds * plan.costs.gflops[0] * 1e3 / 2;
}

double direct_cost(const Tiling& tiling, const SpatialParams& spatial) {
  const auto pixels = uint32_t(tiling.images * spatial.out[0] * spatial.out[1]);
  return 9.0 * round_up(pixels, kRows) * tiling.in_channels * tiling.out_channels;
}

double cost(const Tiling& tiling, const DevicePlan& plan) {
  const uint32_t slices = divide_up(tiling.count(), tiling.slice(plan));
  const double rows = double(divide_up(tiling.count(), kRows)) * kRows;
  const double channels = tiling.in_channels + tiling.out_channels;
  const double transform_bytes = plan.shuffled == kSubgroup8 ? kTransformBytesSubgroup8 : kTransformBytes;
  return tiling.points() *
             (rows * tiling.in_channels * tiling.out_channels + tiling.count() * channels * transform_bytes) +
         in_multiplies((3 * slices - 1) * plan.costs.node_us, plan);
}

}  // namespace

WhyNot why_not_winograd(const LoweringContext& context, const SpatialParams& spatial, uint32_t side) {
  if (const WhyNot why = why_not_shapes(context, spatial)) return why;
  const DevicePlan& plan = context.plan;
  const auto cost_of = [&](uint32_t of) { return cost(tiling_of(context.node, spatial, of), plan); };
  const double own = cost_of(side);
  if (!(own < direct_cost(tiling_of(context.node, spatial, 4), spatial) - kMinSaved))
    return WhyNot::slower("The transforms would cost about as much as they save.");
  if (plan.max_registers < registers_of(side)) {
    return WhyNot::slower("An invocation has {} registers; its transforms need {}.", plan.max_registers,
                          registers_of(side));
  }
  if (side == 4 && !plan.kernels.forbids("winograd2") && cost_of(2) < own)
    return WhyNot::slower("Tiles of 2x2 results save more.");
  if (limit_of(context) == 0) return WhyNot::slower("Its weights range too widely.");
  return {};
}

Status add_winograd(const LoweringContext& context, const SpatialParams& spatial, uint32_t side) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const Epilogue epilogue, epilogue_of(node));
  const Tiling tiling = tiling_of(node, spatial, side);
  const uint32_t in = tiling.in_channels, out = tiling.out_channels, points = tiling.points();
  const std::byte* const data = node.input(1).data->data();
  const Buffer weights = context.sink.packed(
      node.node().inputs[1], cat("winograd ", side), winograd_weights(data, in, out, side),
      uint64_t(points) * round_up(out, kTileColumns) * in * sizeof(float));
  const Buffer taps = context.sink.packed(node.node().inputs[1], "vec4 taps", taps_by_quads(data, in, out),
                                          uint64_t(9) * in * out * sizeof(float));
  const float limit = limit_of(context);
  // On a GPU, tiles are too few to hide the latency of each column; a CPU driver would only compile longer.
  const bool unrolls = !context.plan.is_software;
  const uint32_t slice = tiling.slice(context.plan);
  const View to = output_rows(context, epilogue, out);
  const auto add = [&](Dispatch dispatch, uint32_t count) {
    dispatch.threads = threads_for(count, context.plan, group_of_long(context.plan));
    dispatch.local = {group_of_long(context.plan), 1, 1};
    context.sink.add(std::move(dispatch));
  };
  for (uint32_t first = 0; first < tiling.count(); first += slice) {
    const uint32_t count = std::min(slice, tiling.count() - first);
    const size_t point_floats = size_t(points) * count * sizeof(float);
    const Buffer inputs = context.sink.scratch(point_floats * in);
    const Buffer sums = context.sink.scratch(point_floats * out);
    add({.shader = by_texels("winograd_input_f32_vec4", context.plan),
         .constants = {side, unrolls},
         .push = Push(InPush{count * in / 4, first, tiling.tiles, size2(spatial.in), in / 4,
                             push_of(spatial).before, size2(spatial.out), kWinogradRange, limit}),
         .buffers = {context.input(0), inputs}},
        count * in / 4);
    MatMul shape{.rows = count, .columns = out, .inner = in};
    shape.batch = {points};
    shape.batch_stride_a = shape.batch_stride_b = {1};
    NNRT_TRY(add_gemm(context, {.shape = shape, .output = sums, .left = inputs, .right = weights}));
    add({.shader = by_texels("winograd_output_f32_vec4", context.plan),
         .constants = {epilogue.post_op, side, unrolls},
         .push = Push(OutPush{count * out / 4, first, tiling.tiles, size2(spatial.out), out / 4,
                              to.offset / 4, to.row() / 4, epilogue.added ? 1u : 0u, push_of(epilogue),
                              size2(spatial.in), in / 4, push_of(spatial).before}),
         .buffers = {sums, context.input(2), to.buffer, epilogue_operand(context, epilogue, sums),
                     context.input(0), taps}},
        count * out / 4);
  }
  return {};
}

}  // namespace nnrt::vulkan
