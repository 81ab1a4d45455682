// Conversions between dtypes, for CAST and for operators whose operands differ in dtype (R10).
#pragma once

#include "backends/vulkan/lower/common.h"

namespace nnrt::vulkan {

// Unless cast.comp knows both.
Refusal refuse_cast(DType from, DType to);

// `count` elements of x as dtype `to` into y.
void add_cast(const LoweringContext& context, Buffer x, DType from, Buffer y, DType to, uint32_t count);

}  // namespace nnrt::vulkan
