// Models whose inputs leave the batch open, as exporters write them. Fusions, prepacked weights and the plan
// of memory need known shapes: they are made for the batch of the first run.
#pragma once

#include "core/device/device.h"

#include <functional>
#include <memory>

namespace nnrt::cpu {

// Returns whether the first dimensions of inputs are open, and no others.
bool leaves_batch_open(const Graph& graph);

// Runs `general`, but `prepare(graph of known shapes)` where the batch is that of the first run.
std::unique_ptr<PreparedModel> with_first_batch(
    std::unique_ptr<PreparedModel> general, GraphPtr graph,
    std::function<Result<std::unique_ptr<PreparedModel>>(GraphPtr)> prepare);

}  // namespace nnrt::cpu
