// Convolutions of each channel by itself.
#pragma once

#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

// CONV2D with as many groups as input channels, or DEPTHWISE_CONV2D_NATIVE. `window` has been checked and so
// have the sizes of the operands.
Status add_depthwise(const LoweringContext& context, const Window& window);

}  // namespace nnrt::vulkan
