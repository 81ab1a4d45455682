// Rewrites a graph so that quantized INT8 tensors (R12) are stored as floats between operators.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Float kernels of quantized operators compute on steps, the codes without their zero point
// (requantization.h). If the readers of a result do so too, its steps are stored as FLOAT32: the conversions
// would cost software drivers more than the operators do. Such a tensor keeps its number and its
// quantization; if the node that writes it computes anything, it gets a final post-op QUANT_DTYPE_CAST, which
// requantizes sums to steps. Inputs and outputs of the graph do not change. If a dequantized tensor is also
// needed quantized, a QUANT_DTYPE_CAST with such a post-op produces it in a new tensor at the end of the
// list.
//
// The graph has the shapes of one run. A tensor number means the same form in every run of a model.
Graph with_dequantized(const Graph& graph);

// Returns why the pass would not pay on the device.
WhyNot why_not_dequantized(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
