// Says which nodes and post-ops the GPU supports.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/device/device.h"
#include "core/passes/fuse.h"

#include <vector>

namespace nnrt::vulkan {

// For each node of the graph. A node whose shapes are known is lowered for nobody (trial_lowering.h), by the
// shaders of the plan: what is taken here is not refused in Build.
std::vector<Refusal> judge(const Graph& graph, const DevicePlan& plan);

// The rules of post-ops for nodes of this graph (fusable_steps.h). Both must outlive the rules.
FuseRules fuse_rules(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
