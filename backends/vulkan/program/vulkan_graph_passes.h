// The rewrites that a graph goes through before its nodes are lowered, each with a reason where it does not
// run.
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
  bool float16 = false;  // the client permits it

  const KernelSwitch& kernels() const { return plan.kernels; }
};

using VulkanPass = GraphPass<PassContext>;

// Passes that run once for a model, and those that run for each set of input shapes.
std::span<const VulkanPass> model_passes();
std::span<const VulkanPass> program_passes();
// Passes that build_program() does for all nodes together while it lowers them.
std::span<const VulkanPass> lowering_passes();

// Returns the parts of the pass simplify, with the reasons of those that are not tried.
std::vector<PassChoice> rewrites_of(const PassContext& context);
// Returns the passes of a program where no run has said the shapes that they look at.
std::vector<PassChoice> passes_before_runs(const PassContext& context);

}  // namespace nnrt::vulkan
