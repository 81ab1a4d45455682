// What people and tools want to know of a GPU. Pure.
#pragma once

#include "backends/vulkan/device_plan.h"
#include "core/device.h"

namespace nnrt::vulkan {

std::vector<Fact> facts_of(const Snapshot& snapshot, const DevicePlan& plan);

}  // namespace nnrt::vulkan
