// Copy regions whose elements are cast between FLOAT32 and FLOAT16 on the way: movement beside a CAST.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"
#include "core/schema/data_movement/copy_regions.h"

namespace nnrt::vulkan {

// A tensor of `elements`, as FLOAT32 or FLOAT16.
struct CastOperand {
  Buffer buffer;
  DType dtype = DType::f16;
  uint32_t elements = 0;
};

// Appends what copies the region; one of both is of FLOAT32, the other of FLOAT16.
Status add_cast_copy(const LoweringContext& context, const CopyRegion& region, const CastOperand& from,
                     const CastOperand& to);

}  // namespace nnrt::vulkan
