// Finds the commands that must wait for those before.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"

#include <span>

namespace nnrt::vulkan {

// Sets Step::barrier where a step touches a region that was written since the last barrier, or writes one
// that was read.
void insert_barriers(std::span<Step> steps, const DevicePlan& plan);

}  // namespace nnrt::vulkan
