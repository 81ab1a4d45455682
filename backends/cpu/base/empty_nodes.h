// Nodes with an empty input or output (some dimension is 0). Kernels see an empty tensor only if they don't
// read its elements.
#pragma once

#include "core/schema/node_view.h"

#include <cstddef>
#include <span>

namespace nnrt::cpu {

// Shapes are static.
bool has_empty_tensor(const NodeView& node);

enum class EmptyNode {
  done,    // nothing to write
  filled,  // the output was written here, without post-ops
  kernel,  // run the kernel
};

// Handles a node with an empty tensor. Fails if the operator needs elements.
Result<EmptyNode> compute_empty_node(const NodeView& node, std::span<std::byte* const> out);

}  // namespace nnrt::cpu
