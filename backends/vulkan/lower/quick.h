// Products and convolutions by shaders that drivers compile quickly: a few times slower than tiles, but ready
// before a tile's shader is compiled. Weights are read as the model has them.
#pragma once

#include "backends/vulkan/lower/product.h"

namespace nnrt::vulkan {

// Whether a program is to be made of them.
inline bool is_quick(const DevicePlan& plan) { return plan.shaders != Shaders::tuned; }

Status add_quick_convolution(const LoweringContext& context, const Window& window);
Status add_quick_transpose(const LoweringContext& context, const Window& window);
Status add_quick_depthwise(const LoweringContext& context, const Window& window);
Status add_quick_product(const LoweringContext& context, const Product& product);

}  // namespace nnrt::vulkan
