// Convolutions of each channel by itself.
#pragma once

#include "backends/vulkan/lower/finish.h"
#include "backends/vulkan/lower/windows.h"
#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

// As depthwise.comp and quick_depthwise.comp take it.
struct DepthwisePush {
  uint32_t rows = 0;
  Size2 out{}, in{};
  uint32_t out_parts = 0, in_parts = 0, multiplier = 0;
  WindowPush window;
  FinishPush finish{};
};

// CONV2D with as many groups as input channels, or DEPTHWISE_CONV2D_NATIVE. `window` has been checked and so
// have the sizes of the operands.
Status add_depthwise(const LoweringContext& context, const Window& window);

}  // namespace nnrt::vulkan
