// Which nodes the GPU takes.
#pragma once

#include "backends/vulkan/device_plan.h"
#include "core/device.h"

#include <vector>

namespace nnrt::vulkan {

// For each node of the graph.
std::vector<Refusal> judge(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
