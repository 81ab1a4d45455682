// The kernels of MATMUL, FULL_CONNECTION and CONV2D of quantized values.
#pragma once

#include "backends/vulkan/lower/elementwise/lower_dequantized.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Multiplies quantized operands as they are, or dequantizes them for `lower`, which computes with floats.
Status lower_quantized(const LoweringContext& context, LowerFunction lower);
std::vector<std::string_view> int8_kernels();

// Refuses operands that no kernel takes, and sums (has_sums()) that only floats could be.
Refusal refuse_product(const NodeView& node, const DevicePlan& plan);

// The same of any operands.
template <LowerFunction lower>
Status by_int8_or_float(const LoweringContext& context) {
  return has_quantized(context.node) ? lower_quantized(context, lower) : via_f32<lower>(context);
}

}  // namespace nnrt::vulkan
