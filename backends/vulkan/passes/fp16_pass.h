// Float16 computing (OH_NNCompilation_EnableFloat16) as a rewrite of a graph.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"

namespace nnrt::vulkan {

// The graph with its FLOAT32 stored as half: what nodes compute, and constants. Inputs and outputs of the
// graph stay as they are, and so does what half cannot hold or a node's kernel does not take; a CAST stands
// where a tensor is needed in its other form. All tensors keep their numbers; the halves are new ones.
Graph with_fp16(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
