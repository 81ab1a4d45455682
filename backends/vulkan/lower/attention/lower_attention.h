// ATTENTION by kernels that do not store the QK^T scores.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <string_view>
#include <vector>

namespace nnrt::vulkan {

Status lower_attention(const LoweringContext& context);
std::vector<std::string_view> attention_kernels();

}  // namespace nnrt::vulkan
