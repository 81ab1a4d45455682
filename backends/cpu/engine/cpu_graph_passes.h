// The rewrites of a graph before the CPU prepares it.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::cpu {

Result<Graph> run_graph_passes(const Graph& graph, const KernelSwitch& kernels);

std::vector<PassChoice> graph_pass_choices(const KernelSwitch& kernels);

// Names the passes that can be forbidden.
std::vector<std::string_view> graph_pass_names();

}  // namespace nnrt::cpu
