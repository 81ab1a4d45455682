// ATTENTION.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Status lower_attention(const LoweringContext& context);

}  // namespace nnrt::vulkan
