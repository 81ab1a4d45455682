// Orders steps so that those which need not wait for each other stand side by side, between the same two
// barriers: a GPU computes them at the same time.
#pragma once

#include "backends/vulkan/program/vulkan_program.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

inline constexpr std::string_view kConcurrentSteps = "concurrent_steps";  // in lists of passes

WhyNot why_not_concurrent_steps(const DevicePlan& plan);

// All steps as groups of their numbers, in an order that gives the same results. No step of a group waits for
// another one of it. What a step reads and writes is known, and regions of the arena have the numbers of
// their buffers.
std::vector<std::vector<uint32_t>> concurrent_groups(std::span<const Step> steps, const DevicePlan& plan);

}  // namespace nnrt::vulkan
