// The rewrites that a graph goes through before its nodes are lowered, each with a reason where it does not
// run.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/kernel_choice.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

struct PassContext {
  const DevicePlan& plan;
  bool float16 = false;  // the client permits it
};

struct GraphPass {
  std::string_view name;  // for NNRT_VULKAN_KERNELS
  WhyNot (*why_not)(const Graph&, const PassContext&);
  Graph (*run)(const Graph&, const PassContext&);
  RewriteRights rights{};
};

// Passes that run once for a model, and those that run for each set of input shapes.
std::span<const GraphPass> model_passes();
std::span<const GraphPass> program_passes();

// The graph behind the passes. Each rewrite is checked if NNRT_TEST_CHECK_GRAPHS says so. Each pass is
// written to `log` unless that is null.
Result<Graph> run_passes(std::span<const GraphPass> passes, Graph graph, const PassContext& context,
                         std::vector<PassChoice>* log = nullptr);

}  // namespace nnrt::vulkan
