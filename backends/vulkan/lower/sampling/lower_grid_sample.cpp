#include "backends/vulkan/lower/common/window_push.h"
#include "backends/vulkan/lower/sampling/lower_sampling.h"

namespace nnrt::vulkan {
namespace {

struct GridSamplePush {
  uint32_t count = 0, parts = 0, channels = 0, points = 0;
  std::array<int32_t, 3> size{};
};

}  // namespace

Status lower_grid_sample(const LoweringContext& context) {
  const NodeView& node = context.node;
  for (size_t i = 0; i < 2; ++i) NNRT_TRY(count_of(node.shape(i)));
  NNRT_ASSIGN(const uint32_t count, count_of(node.output_shape()));
  std::vector<SpatialAxis> axes;
  for (const size_t d : spatial_dimensions(node))
    axes.push_back({.in = node.shape(0)[d], .out = node.output_shape()[d]});
  const Spatial3d spatial = spatial_3d_of(node, axes);
  const uint32_t width = width_of_inner(spatial.inner);
  const GridSamplePush push{.count = count / width,
                            .parts = uint32_t(spatial.inner) / width,
                            .channels = uint32_t(spatial.outer / node.shape(0)[0]),
                            .points = uint32_t(spatial.out_cells()),
                            .size = each_axis<int32_t>(spatial, &SpatialAxis::in)};
  const Attrs& attrs = node.attrs();
  Dispatch sample =
      sampling_dispatch(context, width == 4 ? "grid_sample_f32_vec4" : "grid_sample_f32", push.count);
  sample.constants = {uint32_t(attrs.integer(Attr::mode)), uint32_t(attrs.integer(Attr::padding_mode)),
                      uint32_t(attrs.integer(Attr::align_corners)), uint32_t(axes.size())};
  sample.push = Push(push);
  sample.buffers = {context.input(0), context.input(1), context.output()};
  context.sink.add(std::move(sample));
  return {};
}

}  // namespace nnrt::vulkan
