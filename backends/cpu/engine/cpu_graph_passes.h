// Graph passes that run before the CPU prepares a graph.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::cpu {

Result<GraphPtr> run_graph_passes(const GraphPtr& graph, const KernelSwitch& kernels);

// The reasons do not depend on what the passes do to the graph.
std::vector<PassChoice> graph_pass_choices(const Graph& graph, const KernelSwitch& kernels);

// Names of the passes that can be disabled.
std::vector<std::string_view> graph_pass_names();

}  // namespace nnrt::cpu
