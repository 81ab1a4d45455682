// CONV3D.
#pragma once

#include "backends/vulkan/lower/common/lowering_common.h"

namespace nnrt::vulkan {

Status lower_conv3d(const LoweringContext& context);

}  // namespace nnrt::vulkan
