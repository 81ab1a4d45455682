// Decides which nodes and post-ops the GPU supports.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/device/device.h"
#include "core/passes/fuse.h"

#include <vector>

namespace nnrt::vulkan {

// One entry per node. Nodes with known shapes are lowered on trial (trial_lowering.h) with the plan's
// shaders, so that Build does not refuse them later.
std::vector<Refusal> node_refusals(const Graph& graph, const DevicePlan& plan);

// Post-op rules for nodes of this graph (fusable_steps.h). Graph and plan must outlive the result.
FuseRules fuse_rules(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
