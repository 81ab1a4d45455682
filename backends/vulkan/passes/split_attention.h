// ATTENTION as matrix products and a softmax: products have kernels that use all that a device offers, which
// pays more than not to store what stands between.
#pragma once

#include "core/graph/graph.h"

namespace nnrt::vulkan {

// `graph` has the shapes of a run. What would be too large to be stored stays one operator.
Graph with_split_attention(const Graph& graph);

}  // namespace nnrt::vulkan
