// 3x3 convolutions of float32 by Winograd's F(4x4, 3x3) and F(2x2, 3x3): four by four results from six by six
// inputs take 36 products for each pair of channels instead of 144, two by two from four by four 16 instead
// of 36. That must save more than the transforms before and behind the GEMMs cost.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// Returns why the node is not computed in tiles of `side` by `side` results, 4 or 2: it cannot be, or the
// other side or the direct way takes less time.
WhyNot why_not_winograd(const LoweringContext& context, const SpatialParams& spatial, uint32_t side);

// Adds dispatches in turns for some tiles: points of the input, GEMMs of all points, results.
Status add_winograd(const LoweringContext& context, const SpatialParams& spatial, uint32_t side);

}  // namespace nnrt::vulkan
