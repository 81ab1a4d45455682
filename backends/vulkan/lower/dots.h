// Products and convolutions of quantized INT8 on the codes themselves, by dot products of packed bytes.
#pragma once

#include "backends/vulkan/lowering.h"

namespace nnrt::vulkan {

// Why MATMUL, FULL_CONNECTION or CONV2D is not computed so. Shapes are static.
Refusal refuse_dots(const NodeView& node, const DevicePlan& plan);

// What is not refused.
Status lower_dots(const LoweringContext& context);

}  // namespace nnrt::vulkan
