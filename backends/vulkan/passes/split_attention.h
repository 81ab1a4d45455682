// ATTENTION as matrix products and a softmax, where the kernels of products gain more than storing what
// stands between costs: on processors, and where matrices of fp16 are multiplied, but not by the kernels of
// ATTENTION.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Returns whether attention of elements of this dtype becomes products, if it is of many rows and kernels of
// ATTENTION do not refuse its lengths.
bool prefers_split_attention(const DevicePlan& plan, DType dtype);

// The graphs have the shapes of a run. What would be too large to be stored stays one operator.
WhyNot why_not_split_attention(const Graph& graph, const DevicePlan& plan);
Graph with_split_attention(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
