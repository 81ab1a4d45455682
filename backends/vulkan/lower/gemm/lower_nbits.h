// MATMUL_NBITS: few rows with weights that are unpacked where they are multiplied, or a gemm with weights
// that a dispatch before it has made floats of.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

Status lower_matmul_nbits(const LoweringContext& context);
std::vector<std::string_view> nbits_kernels();

}  // namespace nnrt::vulkan
