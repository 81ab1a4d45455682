#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Refusal refuse_dynamic_quantize(const NodeView& node, const DevicePlan& plan);
Status lower_dynamic_quantize(const LoweringContext& context);

}  // namespace nnrt::vulkan
