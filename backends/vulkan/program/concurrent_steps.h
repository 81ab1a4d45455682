// Reorders steps so that independent ones are between the same two barriers, where a GPU runs them
// concurrently.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kConcurrentSteps = "concurrent_steps";  // name in lists of passes

WhyNot why_not_concurrent_steps(const DevicePlan& plan);

// Returns groups of step numbers in an equivalent order; the steps of a group are independent. Steps must
// have their regions and accesses; arena regions are identified by buffer number.
std::vector<std::vector<uint32_t>> concurrent_groups(std::span<const Step> steps, const DevicePlan& plan);

}  // namespace nnrt::vulkan
