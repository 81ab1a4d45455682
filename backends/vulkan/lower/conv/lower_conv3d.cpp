#include "backends/vulkan/lower/common/lowering_common.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/common/window_push.h"
#include "backends/vulkan/lower/conv/lower_convolutions.h"

namespace nnrt::vulkan {
namespace {

struct Conv3dPush {
  uint32_t count = 0, groups = 0, group_in = 0, group_out = 0;
  Size3u out{}, in{}, kernel{}, stride{}, dilation{};
  std::array<int32_t, 3> before{};
};

}  // namespace

Status lower_conv3d(const LoweringContext& context) {
  constexpr uint32_t kOuts = 4;  // channels per invocation
  const NodeView& node = context.node;
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, spatial_axes(node));
  NNRT_TRY(check_axes(axes));
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_TRY(count_of(node.output_shape()));
  const Spatial3d spatial = spatial_3d_of(node, axes);
  const bool channels_last = channel_axis(node) != 1;
  const int64_t group_in = node.shape(1)[4];
  const uint32_t width = channels_last && group_in % 4 == 0 ? 4 : 1;
  Conv3dPush push{.groups = groups_of(node),
                  .group_in = uint32_t(group_in) / width,
                  .out = each_axis(spatial, &SpatialAxis::out),
                  .in = each_axis(spatial, &SpatialAxis::in),
                  .kernel = each_axis(spatial, &SpatialAxis::kernel),
                  .stride = each_axis(spatial, &SpatialAxis::stride),
                  .dilation = each_axis(spatial, &SpatialAxis::dilation),
                  .before = each_axis<int32_t>(spatial, &SpatialAxis::before)};
  push.group_out = uint32_t(node.shape(1)[0]) / push.groups;
  push.count =
      uint32_t(node.shape(0)[0] * spatial.out_cells()) * push.groups * divide_up(push.group_out, kOuts);
  const uint32_t group = group_of_long(context.plan);
  context.sink.add(
      Dispatch{.shader = width == 4 ? "conv3d_f32_vec4" : "conv3d_f32",
               .constants = {activation_of(node), channels_last ? 1u : 0u},
               .push = Push(push),
               .buffers = {context.input(0), context.input(1), context.input(2), context.output()},
               .threads = threads_for(push.count, context.plan, group),
               .local = {group, 1, 1},
               .iterations = window_iterations(push.kernel, loop_of(push.group_in))});
  return {};
}

}  // namespace nnrt::vulkan
