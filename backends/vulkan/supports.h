// Which nodes the GPU takes, and with which steps fused into them.
#pragma once

#include "backends/vulkan/device_plan.h"
#include "core/device.h"
#include "core/fuse.h"

#include <vector>

namespace nnrt::vulkan {

// For each node of the graph.
std::vector<Refusal> judge(const Graph& graph, const DevicePlan& plan);

// Which steps nodes of this graph take (lower/steps.h). Both must outlive the rules.
FuseRules fuse_rules(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
