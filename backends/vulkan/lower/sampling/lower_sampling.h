// Lowerings of interpolating operators and of windows over any number of dimensions, one file each.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

// A grid with one invocation per PACK of outputs.
Dispatch sampling_dispatch(const LoweringContext& context, std::string_view shader, uint32_t count);

// Channels per invocation.
inline uint32_t width_of_inner(int64_t inner) { return inner % 4 == 0 ? 4 : 1; }

Status lower_col2im(const LoweringContext& context);
Status lower_grid_sample(const LoweringContext& context);
Status lower_pool_nd(const LoweringContext& context);
Status lower_resize_axes(const LoweringContext& context);
Status lower_roi_align(const LoweringContext& context);
Status lower_roi_pooling(const LoweringContext& context);
Status lower_bbox_transform(const LoweringContext& context);

}  // namespace nnrt::vulkan
