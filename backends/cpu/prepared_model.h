// A graph made ready on the CPU: its nodes in order, each with its kernel, and a plan for the memory between
// them.
#pragma once

#include "backends/cpu/kernel.h"
#include "core/device.h"

#include <memory>

namespace nnrt::cpu {

// Every node of the graph must have a kernel and no diagnosis. Shapes that are not known yet, and those that
// depend on values which only a run has, are inferred node by node in each run.
Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, ThreadPool& pool);

}  // namespace nnrt::cpu
