// OH_NNCompilation_EnableFloat16 as a graph rewrite.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"

namespace nnrt::vulkan {

// Stores FLOAT32 results and constants as fp16. Inputs and outputs of the graph stay FLOAT32, and so does
// whatever fp16 cannot represent or a kernel does not support; CASTs convert in between. Tensors keep their
// numbers; the fp16 ones are new.
Graph with_fp16(const Graph& graph, const DevicePlan& plan);

// Call before the passes: renames tensors that the client named like those of the pass.
GraphPtr with_distinct_names(const GraphPtr& graph);

// Returns whether the pass created the tensor, whose values then need no rounding to fp16.
bool is_fp16_form(const Tensor& tensor);

}  // namespace nnrt::vulkan
