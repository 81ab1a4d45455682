#include "backends/vulkan/lower/sampling/lower_sampling.h"

#include "backends/vulkan/lower/elementwise/lower_dequantized.h"

namespace nnrt::vulkan {
namespace {

constexpr size_t kMaxPictureDims = 3;

Refusal refuse_regions(const NodeView& node, const DevicePlan&) {
  if (node.attrs().is_set(Attr::strict)) return "The GPU cannot check regions.";
  return refuse_conversion(node);
}

Refusal refuse_col2im(const NodeView& node, const DevicePlan&) {
  const Shape& size = node.shape(1);
  if (size.size() == 1 && size[0] > int64_t(kMaxPictureDims))
    return "COL2IM over " + std::to_string(size[0]) + " dimensions is not supported on the GPU.";
  return refuse_conversion(node);
}

constexpr LoweringRow kSamplingLowerings[] = {
    {Op::avg_pool_nd, {refuse_conversion, via_f32<lower_pool_nd>}},
    {Op::max_pool_nd, {refuse_conversion, via_f32<lower_pool_nd>}},
    {Op::col2im, {refuse_col2im, via_f32<lower_col2im>}},
    {Op::grid_sample, {refuse_conversion, via_f32<lower_grid_sample>}},
    {Op::resize, {refuse_conversion, via_f32<lower_resize_axes>}},
    {Op::roi_align, {refuse_regions, via_f32<lower_roi_align>}},
    {Op::roi_pooling, {refuse_regions, via_f32<lower_roi_pooling>}},
    {Op::axis_aligned_bbox_transform, {refuse_regions, via_f32<lower_bbox_transform>}},
};

}  // namespace

Dispatch sampling_dispatch(const LoweringContext& context, std::string_view shader, uint32_t count) {
  const uint32_t group = group_of_long(context.plan);
  return {.shader = shader,
          .constants = {},
          .push = {},
          .buffers = {},
          .threads = threads_for(count, context.plan, group),
          .local = {group, 1, 1}};
}

std::span<const LoweringRow> sampling_lowerings() { return kSamplingLowerings; }

}  // namespace nnrt::vulkan
