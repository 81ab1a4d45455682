// Nodes of which an input or an output has no elements, as a dimension is 0. A kernel sees such a tensor only
// where it reads nothing of it.
#pragma once

#include "core/schema/node_view.h"

#include <cstddef>
#include <span>

namespace nnrt::cpu {

// Shapes are static.
bool has_empty_tensor(const NodeView& node);

enum class EmptyNode {
  done,    // there is nothing to write
  filled,  // the output is what the operator makes of nothing, without post-ops
  kernel,  // the kernel computes it
};

// For a node with an empty tensor. Fails where the operator needs elements.
Result<EmptyNode> compute_empty_node(const NodeView& node, std::span<std::byte* const> out);

}  // namespace nnrt::cpu
