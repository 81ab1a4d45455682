// Splits ATTENTION into matrix products and a softmax, where faster GEMM kernels outweigh storing the scores:
// on CPU drivers, on GPUs without fast shared memory, and on GPUs whose cooperative matrices apply to the
// products but not to ATTENTION.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

namespace nnrt::vulkan {

// Returns whether to split attention of this dtype if it has many rows and the ATTENTION kernels support its
// sizes.
bool prefers_split_attention(const DevicePlan& plan, DType dtype);

// Graphs have the shapes of one run. Attention whose scores are too large to store is not split.
WhyNot why_not_split_attention(const Graph& graph, const DevicePlan& plan);
Graph with_split_attention(const Graph& graph, const DevicePlan& plan);

}  // namespace nnrt::vulkan
