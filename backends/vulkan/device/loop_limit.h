// Counts loop iterations of kernels. Some drivers silently terminate an invocation after a total number of
// loop iterations (DevicePlan::max_loop_iterations), and its results are then wrong.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/base/divide_up.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace nnrt::vulkan {

// Allowance for loops whose length does not depend on shapes. Dispatch::iterations counts the others.
inline constexpr uint64_t kConstantIterations = 1024;

// Iterations of a loop with `trips` trips, each with `body` iterations of inner loops. The final loop test
// counts as one.
constexpr uint64_t loop_of(uint64_t trips, uint64_t body = 0) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max() / 4;
  uint64_t all = 0;
  return (__builtin_mul_overflow(trips, body + 1, &all) ? kMax : std::min(all, kMax)) + 1;
}

// A loop over `count` in steps of `step`.
constexpr uint64_t loop_by(uint64_t count, uint64_t step, uint64_t body = 0) {
  return loop_of(step == 0 ? 0 : divide_up(count, step), body);
}

constexpr bool exceeds_loop_limit(uint64_t iterations, const DevicePlan& plan) {
  return plan.max_loop_iterations > 0 && iterations + kConstantIterations > plan.max_loop_iterations;
}

}  // namespace nnrt::vulkan
