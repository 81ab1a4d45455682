// Lowerings of the table of reductions (lower_reduce.cpp) that have their own sources.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

namespace nnrt::vulkan {

Refusal refuse_cum_sum(const NodeView& node, const DevicePlan& plan);
Status lower_cum_sum(const LoweringContext& context);

Refusal refuse_dynamic_quantize(const NodeView& node, const DevicePlan& plan);
Status lower_dynamic_quantize(const LoweringContext& context);

}  // namespace nnrt::vulkan
