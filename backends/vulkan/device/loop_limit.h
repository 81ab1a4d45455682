// Loop iterations of kernels. Some drivers leave an invocation, without an error, after so many iterations of
// all of its loops (DevicePlan::max_loop_iterations); what the invocation stores then is wrong.
#pragma once

#include "backends/vulkan/device/device_plan.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace nnrt::vulkan {

// Every kernel may have so many iterations that no shape adds to. Dispatch::iterations counts the others.
inline constexpr uint64_t kConstantIterations = 1024;

// The iterations of a loop of so many trips, each of which has `body` iterations of inner loops. The test
// that ends a loop counts as an iteration.
constexpr uint64_t loop_of(uint64_t trips, uint64_t body = 0) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max() / 4;
  uint64_t all = 0;
  return (__builtin_mul_overflow(trips, body + 1, &all) ? kMax : std::min(all, kMax)) + 1;
}

// Over `count` in steps of `step`.
constexpr uint64_t loop_by(uint64_t count, uint64_t step, uint64_t body = 0) {
  return loop_of(step == 0 ? 0 : (count + step - 1) / step, body);
}

constexpr bool exceeds_loop_limit(uint64_t iterations, const DevicePlan& plan) {
  return plan.max_loop_iterations > 0 && iterations + kConstantIterations > plan.max_loop_iterations;
}

}  // namespace nnrt::vulkan
