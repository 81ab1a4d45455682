#include "backends/vulkan/lower/common/volume_push.h"
#include "backends/vulkan/lower/sampling/lower_sampling.h"

namespace nnrt::vulkan {
namespace {

struct PoolNdPush {
  uint32_t count = 0, parts = 0;
  Size3u out{}, in{}, kernel{}, stride{}, dilation{};
  std::array<int32_t, 3> before{}, after{};
};

}  // namespace

Status lower_pool_nd(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(node));
  NNRT_TRY(check_axes(axes));
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const SpatialVolume volume = volume_of(node, axes);
  const uint32_t width = width_of_inner(volume.inner);
  const PoolNdPush push{.count = count / width,
                        .parts = uint32_t(volume.inner) / width,
                        .out = each_axis(volume, &SpatialAxis::out),
                        .in = each_axis(volume, &SpatialAxis::in),
                        .kernel = each_axis(volume, &SpatialAxis::kernel),
                        .stride = each_axis(volume, &SpatialAxis::stride),
                        .dilation = each_axis(volume, &SpatialAxis::dilation),
                        .before = each_axis<int32_t>(volume, &SpatialAxis::before),
                        .after = each_axis<int32_t>(volume, &SpatialAxis::after)};
  const bool is_mean = node.op() == Op::avg_pool_nd;
  Dispatch pool = sampling_dispatch(context, width == 4 ? "pool_nd_f32_vec4" : "pool_nd_f32", push.count);
  pool.constants = {is_mean ? 0u : 1u, is_mean && node.attrs().flag(Attr::count_padding) ? 1u : 0u};
  pool.push = Push(push);
  pool.buffers = {context.input(0), context.output()};
  context.sink.add(std::move(pool));
  return {};
}

}  // namespace nnrt::vulkan
