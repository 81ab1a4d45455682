// Rewrites a graph so that quantized INT8 is stored dequantized (R12) between operators.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Kernels of quantized operators compute on dequantized values. If one operator's result is read by others
// that do, it is stored as FLOAT32: the same values, without quantization and back, which costs drivers in
// software more than the operators do. Such a tensor keeps its number and its quantization, and the node that
// computes it has a last post-op, QUANT_DTYPE_CAST, which rounds to quantized values, if it computes anything
// else. Inputs and outputs of the graph stay as they are. If a dequantized tensor is also needed quantized, a
// QUANT_DTYPE_CAST makes that, in a tensor behind all others.
//
// Shapes are those of a run. In all runs of a model a tensor has the same form, or another number.
Graph with_dequantized(const Graph& graph);

// Returns why a device does better without the pass.
WhyNot why_not_dequantized(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
