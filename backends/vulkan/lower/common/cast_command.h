// Converts a buffer from one dtype to another.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

// Converts `count` elements.
void add_cast(const LoweringContext& context, Buffer x, DType from, Buffer y, DType to, uint32_t count);

}  // namespace nnrt::vulkan
