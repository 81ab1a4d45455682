// The graph rewrites before lowering, each with the reason if it does not run.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/graph_passes.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

struct PassContext {
  const DevicePlan& plan;
  bool float16 = false;  // fp16 allowed by the client

  const KernelSwitch& kernels() const { return plan.kernels; }
};

using VulkanPass = GraphPass<PassContext>;

// Passes that run once per model, and once per set of input shapes.
std::span<const VulkanPass> model_passes();
std::span<const VulkanPass> program_passes();
// Passes that build_program() performs while lowering.
std::span<const VulkanPass> lowering_passes();

// The parts of the pass simplify, with reasons for those that are off.
std::vector<PassChoice> rewrites_of(const PassContext& context);
// The program passes of a model with open shapes, before any run.
std::vector<PassChoice> passes_before_runs(const PassContext& context);

}  // namespace nnrt::vulkan
