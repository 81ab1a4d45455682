#include "backends/vulkan/lower/common/kernel_list.h"
#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/conv/lower_convolutions.h"
#include "backends/vulkan/lower/conv/output_strips.h"
#include "backends/vulkan/lower/elementwise/lower_dequantized.h"
#include "backends/vulkan/lower/elementwise/requantization.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"
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

struct Int8PoolPush {
  PoolPush pool;
  float scale = 1;
  int32_t from_zero = 0, to_zero = 0;
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

// Channels per invocation.
uint32_t width_of(const NodeView& node) { return node.shape(0)[3] % 4 == 0 ? 4 : 1; }

// Global pooling: one window that is the entire input.
bool is_whole(const SpatialParams& spatial) {
  return spatial.kernel == spatial.in && spatial.out == std::array<int64_t, 2>{1, 1} &&
         spatial.before == std::array<int64_t, 2>{} && spatial.after == std::array<int64_t, 2>{};
}

// pool_rows.comp limits the window's width and stride.
WhyNot why_not_strips(const LoweringContext& context, const SpatialParams& spatial) {
  const int64_t kernel = spatial.kernel[0], stride = spatial.stride[0];
  if (element_count(context.node.output_shape()) == 0) return "Its output is empty.";
  if (width_of(context.node) != 4) return "Its channels are not a multiple of 4.";
  if (spatial.kernel[1] != kernel || spatial.stride[1] != stride || kernel < 2 || kernel > 3 || stride > 2)
    return "Its window is neither 3x3 nor 2x2 with a stride of 1 or 2.";
  if (kernel == 2 && context.plan.is_software)
    return WhyNot::slower("Windows of 2x2 overlap too little for software drivers.");
  return {};
}

Status add_pool_strips(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  const StripWork work{.images = uint32_t(node.shape(0)[0]),
                       .out = size2(spatial.out),
                       .parts = uint32_t(node.shape(0)[3]) / 4,
                       .kernel = uint32_t(spatial.kernel[0]),
                       .stride = uint32_t(spatial.stride[0])};
  NNRT_ASSIGN(const OutputStrip strip, output_strip_for(work, context.plan, context.sink.kernel_log()));
  PoolRowsPush push{.chunk = strip.rows, .parts = work.parts, .before = push_of(spatial).before};
  push.out = work.out;
  push.in = size2(spatial.in);
  push.chunks = work.images * divide_up(push.out[0], push.chunk);
  const uint32_t strips = push.chunks * strip.columns(work) * push.parts;
  const bool maximum = node.op() == Op::max_pool;
  context.sink.add(Dispatch{.shader = by_texels("pool_rows_f32_vec4", context.plan),
                            .constants = {activation_of(node), maximum, uint32_t(spatial.stride[0]),
                                          uint32_t(spatial.kernel[0]), strip.pixels, strip.one_row},
                            .push = Push(push),
                            .buffers = {context.input(0), context.output()},
                            .threads = threads_for(strips, context.plan, group_of_long(context.plan)),
                            .local = {group_of_long(context.plan), 1, 1},
                            .iterations = loop_of(uint64_t{push.chunk} + uint64_t(spatial.kernel[0]))});
  return {};
}

Result<PoolPush> pool_push_of(const LoweringContext& context, const SpatialParams& spatial, uint32_t width) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  PoolPush push{.count = count / width, .parts = uint32_t(node.shape(0)[3]) / width};
  push.out = size2(spatial.out);
  push.in = size2(spatial.in);
  push.kernel = size2(spatial.kernel);
  push.stride = size2(spatial.stride);
  push.before = push_of(spatial).before;
  return push;
}

Status add_pool_direct(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  const uint32_t width = width_of(node);
  NNRT_ASSIGN(const PoolPush push, pool_push_of(context, spatial, width));
  context.sink.add(Dispatch{.shader = width == 4 ? "pool_f32_vec4" : "pool_f32",
                            .constants = {activation_of(node), node.op() == Op::max_pool ? 1u : 0u},
                            .push = Push(push),
                            .buffers = {context.input(0), context.output()},
                            .threads = threads_for(push.count, context.plan, group_of_long(context.plan)),
                            .local = {group_of_long(context.plan), 1, 1},
                            .iterations = loop_of(std::min(push.kernel[0], push.in[0]),
                                                  loop_of(std::min(push.kernel[1], push.in[1])))});
  return {};
}

constexpr Kernel<SpatialParams> kPools[] = {{"pool_strips", why_not_strips, add_pool_strips},
                                            {"pool_direct", nullptr, add_pool_direct}};

Status lower_float_pool(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  NNRT_TRY(check_spatial(spatial));
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  if (count > 0 && is_whole(spatial) && activation_of(node) == 0) {
    const Reduction pool = whole_pool(node.op() == Op::max_pool, uint32_t(spatial.in[0] * spatial.in[1]));
    return add_reduction(context, pool, reduction_shape(node.shape(0), 1, 3), context.input(0),
                         context.output());
  }
  return lower_by_list(std::span<const Kernel<SpatialParams>>(kPools), context, spatial);
}

uint64_t cells_of(const SpatialParams& spatial) {
  return uint64_t(std::min(spatial.kernel[0], spatial.in[0])) *
         uint64_t(std::min(spatial.kernel[1], spatial.in[1]));
}

WhyNot why_not_int8_pool(const LoweringContext& context, const SpatialParams& spatial) {
  constexpr uint64_t kMostCells = 1 << 16;    // whose sum FLOAT32 holds exactly
  constexpr int64_t kMostElements = 1 << 28;  // so that invocations can be numbered
  const NodeView& node = context.node;
  if (!computes_on_steps(node)) return "It computes on dequantized values.";
  const int64_t count = element_count(node.output_shape()).value_or(0);
  if (count == 0 || count > kMostElements) return {"Its output has {} elements.", count};
  if (width_of(node) != 4) return "Its channels are not a multiple of 4.";
  const uint64_t cells = cells_of(spatial);
  if (cells > kMostCells) return {"Its windows have {} cells.", cells};
  return context.plan.is_software ? WhyNot::slower("Software drivers pool floats faster.") : WhyNot();
}

// Few large windows fill a GPU only if several invocations share one.
WhyNot why_not_int8_pool_by_group(const LoweringContext& context, const SpatialParams& spatial) {
  constexpr uint64_t kLargeWindow = 16, kManyWords = 32768;
  if (const WhyNot why = why_not_int8_pool(context, spatial)) return why;
  const uint64_t cells = cells_of(spatial), words = uint64_t(*element_count(context.node.output_shape())) / 4;
  if (cells <= kLargeWindow) return WhyNot::slower("Its windows have only {} cells.", cells);
  return words < kManyWords ? WhyNot() : WhyNot::slower("{} windows fill the GPU.", words);
}

// `share`: invocations per window.
template <uint32_t share>
Status add_int8_pool(const LoweringContext& context, const SpatialParams& spatial) {
  const NodeView& node = context.node;
  const Quant& from = node.input(0).quant;
  Quant to = node.output(0).quant;
  to.scales[0] /= from.scales[0];
  NNRT_ASSIGN(const PoolPush pool, pool_push_of(context, spatial, 4));
  const Int8PoolPush push{pool, rounding_scale(to), from.zero_points[0], to.zero_points[0]};
  context.sink.add(
      Dispatch{.shader = "pool_int8",
               .constants = {node.op() == Op::max_pool, share},
               .push = Push(push),
               .buffers = {context.input(0), context.output()},
               .threads = threads_for(pool.count * share, context.plan),
               .local = {kGroup, 1, 1},
               .iterations = loop_by(cells_of(spatial), 4 * uint64_t{share}) + reduction_iterations(share)});
  return {};
}

Status add_float_pool(const LoweringContext& context, const SpatialParams&) {
  return via_f32<lower_float_pool>(context);
}

constexpr Kernel<SpatialParams> kInt8Pools[] = {
    {"int8_pool_by_group", why_not_int8_pool_by_group, add_int8_pool<16>},
    {"int8_pool", why_not_int8_pool, add_int8_pool<1>},
    {"float_pool", nullptr, add_float_pool}};

Status lower_pool(const LoweringContext& context) {
  const NodeView& node = context.node;
  if (node.dtype() != DType::i8) return via_f32<lower_float_pool>(context);
  NNRT_ASSIGN(const SpatialParams spatial, spatial_params(node));
  NNRT_TRY(check_spatial(spatial));
  NNRT_TRY(count_of(node.shape(0)));
  return lower_by_list(std::span<const Kernel<SpatialParams>>(kInt8Pools), context, spatial);
}

// Source coordinates are (i * multiplier + addend) / divisor.
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
    return unsupported("A resize of ", in, " to ", out, " cells is larger than a GPU kernel can index.");
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
    {Op::avg_pool, {refuse_conversion, lower_pool}},
    {Op::max_pool, {refuse_conversion, lower_pool}},
    {Op::resize_bilinear, {refuse_conversion, via_f32<lower_resize>}},
};

}  // namespace

std::vector<std::string_view> pooling_kernels() {
  std::vector<std::string_view> names = names_of(std::span<const Kernel<SpatialParams>>(kInt8Pools));
  for (const Kernel<SpatialParams>& kernel : kPools) names.push_back(kernel.name);
  return names;
}

std::span<const LoweringRow> pooling_lowerings() { return kPoolingLowerings; }

}  // namespace nnrt::vulkan
