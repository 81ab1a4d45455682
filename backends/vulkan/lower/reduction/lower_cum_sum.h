#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Refusal refuse_cum_sum(const NodeView& node, const DevicePlan& plan);
Status lower_cum_sum(const LoweringContext& context);

}  // namespace nnrt::vulkan
