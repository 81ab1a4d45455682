// The rewrites of a graph before the CPU prepares it.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::cpu {

Result<GraphPtr> run_graph_passes(const GraphPtr& graph, const KernelSwitch& kernels);

// No reason depends on what the passes make of the graph.
std::vector<PassChoice> graph_pass_choices(const Graph& graph, const KernelSwitch& kernels);

// Names the passes that can be forbidden.
std::vector<std::string_view> graph_pass_names();

}  // namespace nnrt::cpu
