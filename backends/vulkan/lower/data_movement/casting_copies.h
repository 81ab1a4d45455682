// Copies that convert between FLOAT32 and FLOAT16, for data movement next to a CAST.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/schema/data_movement/copy_regions.h"

namespace nnrt::vulkan {

// A buffer with `elements` of FLOAT32 or FLOAT16.
struct CastOperand {
  Buffer buffer;
  DType dtype = DType::f16;
  uint32_t elements = 0;
};

// Copies the region. One operand is FLOAT32, the other FLOAT16.
Status add_cast_copy(const LoweringContext& context, const CopyRegion& region, const CastOperand& from,
                     const CastOperand& to);

}  // namespace nnrt::vulkan
