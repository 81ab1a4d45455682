// Convolutions by fast-compile shaders: slower than tiles, but ready before a tiled shader has compiled. They
// read the weights in the model's layout.
#pragma once

#include "backends/vulkan/lower/gemm/lower_gemm.h"

namespace nnrt::vulkan {

Status add_fast_compile_convolution(const LoweringContext& context, const SpatialParams& spatial);
Status add_fast_compile_transpose(const LoweringContext& context, const SpatialParams& spatial);
Status add_fast_compile_depthwise(const LoweringContext& context, const SpatialParams& spatial);

}  // namespace nnrt::vulkan
