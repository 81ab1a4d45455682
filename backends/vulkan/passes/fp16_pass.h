// Float16 computing (OH_NNCompilation_EnableFloat16) as a rewrite of a graph.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"

namespace nnrt::vulkan {

// Stores FLOAT32 results of nodes and constants in fp16. Inputs and outputs of the graph stay as they are,
// and so does what fp16 cannot hold or a node's kernel does not support; a CAST stands where a tensor is
// needed in its other form. All tensors keep their numbers; those in fp16 are new ones.
Graph with_fp16(const Graph& graph, const DevicePlan& plan);

// Returns whether the tensor is such a new one: its values need not be rounded to fp16.
bool is_fp16_form(const Tensor& tensor);

}  // namespace nnrt::vulkan
