// Kernel selection for quantized MATMUL, FULL_CONNECTION and CONV2D.
#pragma once

#include "backends/vulkan/lower/elementwise/lower_dequantized.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

// Multiplies quantized operands by an INT8 kernel if one applies, else dequantizes them and calls `lower`,
// which computes in float.
Status lower_quantized(const LoweringContext& context, LowerFunction lower);
std::vector<std::string_view> int8_kernels();

// Refuses operands that no kernel supports, and INT32 results (has_sums()) that only the float path could
// compute.
Refusal refuse_product(const NodeView& node, const DevicePlan& plan);

template <LowerFunction lower>
Status by_int8_or_float(const LoweringContext& context) {
  return has_quantized(context.node) ? lower_quantized(context, lower) : via_f32<lower>(context);
}

}  // namespace nnrt::vulkan
