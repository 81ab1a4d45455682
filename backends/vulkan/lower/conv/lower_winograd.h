// 3x3 float32 convolutions by Winograd's F(4x4, 3x3) and F(2x2, 3x3). Per channel pair, 4x4 results take 36
// products instead of 144, and 2x2 results 16 instead of 36. Pays only if that saves more than the input and
// output transforms cost.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/passes/kernel_choice.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// Tiles have `side` x `side` results; `side` is 4 or 2. Also refused if the other side or a direct kernel is
// faster.
WhyNot why_not_winograd(const LoweringContext& context, const SpatialParams& spatial, uint32_t side);

// For each slice of tiles: the input transform, one batched GEMM over all points, the output transform.
Status add_winograd(const LoweringContext& context, const SpatialParams& spatial, uint32_t side);

}  // namespace nnrt::vulkan
