// 3x3 convolutions of float32 by Winograd's F(4x4, 3x3) and F(2x2, 3x3): four by four results from six by six
// inputs take 36 products for each pair of channels instead of 144, two by two from four by four 16 instead
// of 36. What they save must be more than the transforms before and behind the products cost.
#pragma once

#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

// The results' side of the tiles by which the convolution is to be computed, 4 or 2: the cheaper one, or what
// DevicePlan::winograd names, where it can. Nothing where it is to be computed directly.
std::optional<uint32_t> winograd_side(const LoweringContext& context, const Window& window);

// By dispatches in turns for some tiles: points of the input, products of all points, results.
Status add_winograd(const LoweringContext& context, const Window& window, uint32_t side);

}  // namespace nnrt::vulkan
