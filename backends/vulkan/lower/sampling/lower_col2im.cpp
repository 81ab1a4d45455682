#include "backends/vulkan/lower/common/window_push.h"
#include "backends/vulkan/lower/sampling/lower_sampling.h"

namespace nnrt::vulkan {
namespace {

struct Col2imPush {
  uint32_t count = 0;
  Size3u size{}, kernel{}, stride{}, dilation{}, blocks{};
  std::array<int32_t, 3> before{};
};

}  // namespace

Status lower_col2im(const LoweringContext& context) {
  const NodeView& node = context.node;
  NNRT_ASSIGN(const std::vector<SpatialAxis> axes, image_axes(node));
  NNRT_TRY(check_axes(axes));
  NNRT_TRY(count_of(node.shape(0)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  const Spatial3d spatial = spatial_3d_of(node, axes);
  const Col2imPush push{.count = count,
                        .size = each_axis(spatial, &SpatialAxis::in),
                        .kernel = each_axis(spatial, &SpatialAxis::kernel),
                        .stride = each_axis(spatial, &SpatialAxis::stride),
                        .dilation = each_axis(spatial, &SpatialAxis::dilation),
                        .blocks = each_axis(spatial, &SpatialAxis::out),
                        .before = each_axis<int32_t>(spatial, &SpatialAxis::before)};
  Dispatch sums = sampling_dispatch(context, "col2im_f32", count);
  sums.push = Push(push);
  sums.iterations = window_iterations(push.kernel);
  sums.buffers = {context.input(0), context.output()};
  context.sink.add(std::move(sums));
  return {};
}

}  // namespace nnrt::vulkan
