// Quantized INT8 between operators as the real values that its codes stand for (R12), as a rewrite of a
// graph.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Kernels of quantized operators compute on real values. Where one operator's result is read by others that
// do, it is stored as FLOAT32: the same values, without the way through codes and back, which costs drivers
// in software more than the operators do. Such a tensor keeps its number and its quantization, and the node
// that computes it has a last step, QUANT_DTYPE_CAST, which rounds to what codes can say, where it computes
// anything else. Inputs and outputs of the graph stay as they are. Where codes are needed of a tensor that is
// real now, a QUANT_DTYPE_CAST makes them, in a tensor behind all others.
//
// Shapes are those of a run. Of all runs of a model a tensor has the same form, or another number.
Graph with_dequantized(const Graph& graph);

// Why a device does better without.
WhyNot why_not_dequantized(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
