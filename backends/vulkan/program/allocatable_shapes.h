// Refuses shapes that the device cannot allocate.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <span>

namespace nnrt::vulkan {

// Code::unsupported if an input or a node's output has a shape that is not static or too large.
Status check_shapes(const Graph& graph, std::span<const Shape> shapes);

}  // namespace nnrt::vulkan
