// The conversion of a buffer from one dtype to another, for operators of all families.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

// `count` elements of x as dtype `to` into y.
void add_cast(const LoweringContext& context, Buffer x, DType from, Buffer y, DType to, uint32_t count);

}  // namespace nnrt::vulkan
