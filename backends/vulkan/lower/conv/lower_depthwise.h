// Convolutions of each channel by itself.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/common/spatial_push.h"
#include "backends/vulkan/lower/gemm/lower_epilogue.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// As depthwise.comp and depthwise_fast_compile.comp take it.
struct DepthwisePush {
  uint32_t rows = 0;
  Size2 out{}, in{};
  uint32_t out_parts = 0, in_parts = 0, multiplier = 0;
  SpatialPush spatial;
  EpiloguePush epilogue{};
};

// CONV2D with as many groups as input channels, or DEPTHWISE_CONV2D_NATIVE. `spatial` and the sizes of the
// operands were checked.
Status add_depthwise(const LoweringContext& context, const SpatialParams& spatial);
std::vector<std::string_view> depthwise_kernels();

}  // namespace nnrt::vulkan
