// A graph made ready on the CPU: its nodes in order, each with its kernel, and a plan for the memory between
// them.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "core/device/device.h"

#include <memory>

namespace nnrt::cpu {

// Every node of the graph must have a kernel and no diagnosis. Shapes that are not known yet, and those that
// depend on values which only a run has, are inferred node by node in each run.
Result<std::unique_ptr<PreparedModel>> prepare(const GraphPtr& graph, ThreadPool pool);

// Reads what export_cache() wrote. Code::invalid_file if it does not fit the graph.
Result<std::unique_ptr<PreparedModel>> restore(const GraphPtr& graph, ThreadPool pool,
                                               const SharedBytes& cached);

// To be raised when what is exported, or what kernels keep, is another.
inline constexpr uint32_t kModelFormat = 10;

}  // namespace nnrt::cpu
