// A graph prepared for the CPU: nodes in execution order with their kernels, and a memory plan.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "core/device/device.h"

#include <memory>

namespace nnrt::cpu {

// Every node must have a kernel and no diagnosis. Shapes that are dynamic or depend on values are inferred
// node by node in each run. Constants that only packed kernels read are freed one by one if no one else holds
// the graph.
// `may_round`: weights may be rounded to FLOAT16.
Result<std::unique_ptr<PreparedModel>> prepare(GraphPtr graph, ThreadPool pool, bool may_round,
                                               const KernelSwitch& kernels);

// Loads the output of export_cache(). Code::invalid_file if it does not match the graph.
Result<std::unique_ptr<PreparedModel>> restore(GraphPtr graph, ThreadPool pool, bool may_round,
                                               const KernelSwitch& kernels, const SharedBytes& cached);

// Increment when the exported data or the prepacked formats change.
inline constexpr uint32_t kModelFormat = 20;

}  // namespace nnrt::cpu
