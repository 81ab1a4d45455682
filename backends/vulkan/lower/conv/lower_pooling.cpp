#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/reduction/middle_reduction.h"
#include "core/base/text.h"

#include <algorithm>
#include <limits>

namespace nnrt::vulkan {
namespace {

constexpr int64_t kMaxReach = std::numeric_limits<int32_t>::max() / 2;

struct PoolPush {
  uint32_t count = 0, parts = 0;
  Size2 out{}, in{}, kernel{}, stride{};
  std::array<int32_t, 2> before{};
};

struct PoolRowsPush {
  uint32_t chunks = 0, chunk = 0, parts = 0;
  Size2 out{}, in{};
  std::array<int32_t, 2> before{};
};

struct ResizePush {
  uint32_t count = 0, parts = 0;
  Size2 out{}, in{}, multiplier{}, divisor{};
  std::array<int32_t, 2> addend{};
};

// Four channels at once where their number allows it.
uint32_t width_of(const NodeView& node) { return node.shape(0)[3] % 4 == 0 ? 4 : 1; }

// As pool_rows.comp takes them.
bool overlaps(const SpatialParams& spatial) {
  const int64_t stride = spatial.stride[0];
  return spatial.kernel == std::array<int64_t, 2>{3, 3} && spatial.stride[1] == stride && stride <= 2;
}

// One pooling window, which is the input.
bool is_whole(const SpatialParams& spatial) {
  return spatial.kernel == spatial.in && spatial.out == std::array<int64_t, 2>{1, 1} &&
         spatial.before == std::array<int64_t, 2>{} && spatial.after == std::array<int64_t, 2>{};
}

void add_pool_by_rows(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  constexpr uint32_t kPixels = 4;
  PoolRowsPush push{.parts = uint32_t(node.shape(0)[3]) / 4, .before = push_of(spatial).before};
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  const auto images = uint32_t(node.shape(0)[0]);
  const uint32_t columns = images * ((push.out[1] + kPixels - 1) / kPixels) * push.parts;
  push.chunk = rows_of_chunk(columns, push.out[0], context.plan);
  const uint32_t chunks_of_image = (push.out[0] + push.chunk - 1) / push.chunk;
  push.chunks = images * chunks_of_image;
  context.sink.add(Dispatch{
      .shader = by_texels("pool_rows_f32_vec4", context.plan),
      .constants = {activation_of(node), node.op() == Op::max_pool ? 1u : 0u, uint32_t(spatial.stride[0])},
      .push = Push(push),
      .buffers = {context.input(0), context.output()},
      .threads = threads_for(columns * chunks_of_image, context.plan, group_of_long(context.plan)),
      .local = {group_of_long(context.plan), 1, 1}});
}

Status lower_pool(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  NNRT_TRY(check_spatial(spatial));
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const uint32_t width = width_of(node);
  if (node.op() == Op::avg_pool && count > 0 && is_whole(spatial) && activation_of(node) == 0) {
    const auto cells = uint32_t(spatial.in[0] * spatial.in[1]);
    const Reduction mean{.op = Reduce::sum, .dtype = DType::f32, .divisor = cells};
    return add_reduction(context, mean, middle_of(node.shape(0), 1, 3), context.input(0), context.output());
  }
  if (width == 4 && count > 0 && overlaps(spatial)) {
    add_pool_by_rows(context, spatial);
    return {};
  }
  PoolPush push{.count = count / width, .parts = uint32_t(node.shape(0)[3]) / width};
  for (size_t axis = 0; axis < 2; ++axis) {
    push.out[axis] = uint32_t(spatial.out[axis]);
    push.in[axis] = uint32_t(spatial.in[axis]);
    push.kernel[axis] = uint32_t(spatial.kernel[axis]);
    push.stride[axis] = uint32_t(spatial.stride[axis]);
    push.before[axis] = int32_t(spatial.before[axis]);
  }
  context.sink.add(Dispatch{.shader = width == 4 ? by_texels("pool_f32_vec4", context.plan) : "pool_f32",
                            .constants = {activation_of(node), node.op() == Op::max_pool ? 1u : 0u},
                            .push = Push(push),
                            .buffers = {context.input(0), context.output()},
                            .threads = threads_for(push.count, context.plan, group_of_long(context.plan)),
                            .local = {group_of_long(context.plan), 1, 1}});
  return {};
}

// Source coordinates as fractions: (i * multiplier + addend) / divisor.
Status set_coordinates(ResizePush& push, size_t axis, int64_t mode) {
  constexpr int64_t kAlignCorners = 1;
  constexpr int64_t kHalfPixel = 2;
  const uint32_t in = push.in[axis];
  const uint32_t out = push.out[axis];
  push.multiplier[axis] = in;
  push.divisor[axis] = out;
  if (mode == kAlignCorners) {
    push.multiplier[axis] = in - 1;
    push.divisor[axis] = std::max(out - 1, 1u);
  } else if (mode == kHalfPixel && out > 1) {
    push.multiplier[axis] = 2 * in;
    push.divisor[axis] = 2 * out;
    push.addend[axis] = int32_t(in) - int32_t(out);
  }
  const uint64_t farthest = uint64_t(push.multiplier[axis]) * out;
  if (farthest > uint64_t(kMaxReach)) {
    return unsupported("A resize of ", in, " to ", out, " cells exceeds what a GPU kernel counts.");
  }
  return {};
}

Status lower_resize(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const uint32_t width = width_of(node);
  ResizePush push{.count = count / width, .parts = uint32_t(node.shape(0)[3]) / width};
  for (size_t axis = 0; axis < 2; ++axis) {
    push.in[axis] = uint32_t(node.shape(0)[axis + 1]);
    push.out[axis] = uint32_t(node.output_shape()[axis + 1]);
    NNRT_TRY(set_coordinates(push, axis, node.attrs().integer(Attr::coordinate_mode)));
  }
  context.sink.add(Dispatch{.shader = width == 4 ? "resize_f32_vec4" : "resize_f32",
                            .constants = {},
                            .push = Push(push),
                            .buffers = {context.input(0), context.output()},
                            .threads = threads_for(push.count, context.plan),
                            .local = {kGroup, 1, 1}});
  return {};
}

constexpr LoweringRow kPoolingLowerings[] = {
    {Op::avg_pool, {refuse_conversion, via_f32<lower_pool>}},
    {Op::max_pool, {refuse_conversion, via_f32<lower_pool>}},
    {Op::resize_bilinear, {refuse_conversion, via_f32<lower_resize>}},
};

}  // namespace

std::span<const LoweringRow> pooling_lowerings() { return kPoolingLowerings; }

}  // namespace nnrt::vulkan
