// MATMUL_NBITS. Few rows: the kernel unpacks the weights as it multiplies. Many rows: one dispatch
// dequantizes the weights, then a GEMM follows.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

Status lower_matmul_nbits(const LoweringContext& context);
std::vector<std::string_view> nbits_kernels();

}  // namespace nnrt::vulkan
