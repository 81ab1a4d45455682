#include "backends/vulkan/lower/common/window_push.h"
#include "backends/vulkan/lower/reduction/reduction_steps.h"
#include "backends/vulkan/lower/sampling/lower_sampling.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct PoolNdPush {
  uint32_t count = 0, parts = 0;
  Size3u out{}, in{}, kernel{}, stride{}, dilation{};
  std::array<int32_t, 3> before{}, after{};
};

// Returns whether the window is the entire input.
bool is_whole(const SpatialAxis& axis) {
  return axis.kernel == axis.in && axis.out == 1 && axis.before == 0 && axis.after == 0 && axis.dilation == 1;
}

}  // namespace

Status lower_pool_nd(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(node));
  NNRT_TRY(check_axes(axes));
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const Spatial3d spatial = spatial_3d_of(node, axes);
  if (count > 0 && std::ranges::all_of(axes, is_whole)) {
    const auto cells = uint32_t(spatial.in_cells());
    return add_reduction(context, whole_pool(node.op() == Op::max_pool_nd, cells),
                         {uint32_t(spatial.outer), cells, uint32_t(spatial.inner)}, context.input(0),
                         context.output());
  }
  const uint32_t width = width_of_inner(spatial.inner);
  const PoolNdPush push{.count = count / width,
                        .parts = uint32_t(spatial.inner) / width,
                        .out = each_axis(spatial, &SpatialAxis::out),
                        .in = each_axis(spatial, &SpatialAxis::in),
                        .kernel = each_axis(spatial, &SpatialAxis::kernel),
                        .stride = each_axis(spatial, &SpatialAxis::stride),
                        .dilation = each_axis(spatial, &SpatialAxis::dilation),
                        .before = each_axis<int32_t>(spatial, &SpatialAxis::before),
                        .after = each_axis<int32_t>(spatial, &SpatialAxis::after)};
  Size3u kernel{};
  for (size_t i = 0; i < kernel.size(); ++i) kernel[i] = std::min(push.kernel[i], push.in[i]);
  const bool is_mean = node.op() == Op::avg_pool_nd;
  Dispatch pool = sampling_dispatch(context, width == 4 ? "pool_nd_f32_vec4" : "pool_nd_f32", push.count);
  pool.constants = {is_mean ? 0u : 1u, is_mean && node.attrs().flag(Attr::count_padding) ? 1u : 0u};
  pool.push = Push(push);
  pool.iterations = window_iterations(kernel);
  pool.buffers = {context.input(0), context.output()};
  context.sink.add(std::move(pool));
  return {};
}

}  // namespace nnrt::vulkan
