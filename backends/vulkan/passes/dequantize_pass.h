// Rewrites a graph so that quantized INT8 tensors are stored dequantized (R12) between operators.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Kernels of quantized operators compute on dequantized values. If the readers of a result do so too, it is
// stored as FLOAT32: the same values without the conversions, which cost software drivers more than the
// operators do. Such a tensor keeps its number and its quantization; if the node that writes it computes
// anything, it gets a final post-op QUANT_DTYPE_CAST that rounds to quantized values. Inputs and outputs of
// the graph do not change. If a dequantized tensor is also needed quantized, a QUANT_DTYPE_CAST produces it
// in a new tensor at the end of the list.
//
// The graph has the shapes of one run. A tensor number means the same form in every run of a model.
Graph with_dequantized(const Graph& graph);

// Returns why the pass would not pay on the device.
WhyNot why_not_dequantized(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
