// Depthwise convolutions.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// Must match depthwise.comp and depthwise_fast_compile.comp.
struct DepthwisePush {
  uint32_t rows = 0;
  Size2 out{}, in{};
  uint32_t out_parts = 0, in_parts = 0, multiplier = 0;
  SpatialPush spatial;
  EpiloguePush epilogue{};
};

// CONV2D with as many groups as input channels, or DEPTHWISE_CONV2D_NATIVE. The caller has checked `spatial`
// and the operand sizes.
Status add_depthwise(const LoweringContext& context, const SpatialParams& spatial);
std::vector<std::string_view> depthwise_kernels();

}  // namespace nnrt::vulkan
