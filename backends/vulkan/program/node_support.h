// Which nodes the GPU takes, and with which steps fused into them.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/device/device.h"
#include "core/passes/fuse.h"

#include <vector>

namespace nnrt::vulkan {

// For each node of the graph. A node whose shapes are known is lowered for nobody (trial_lowering.h), by the
// shaders of the plan: what is taken here is not refused in Build.
std::vector<Refusal> judge(const Graph& graph, const DevicePlan& plan);

// Which steps nodes of this graph take (fusable_steps.h). Both must outlive the rules.
FuseRules fuse_rules(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
