// Post-ops of nodes (core/passes/fuse.h) on the CPU. A kernel may compute them itself; behind any other they
// are computed in place on the node's result, which saves the memory between.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "core/passes/fuse.h"

#include <optional>
#include <vector>

namespace nnrt::cpu {

// Allows all post-ops behind all operators that write a result of their own; behind float32 GEMMs and
// convolutions those that their kernels compute.
FuseRules fuse_rules();

// Returns whether the kernel of the node's operator computes all of the node's post-ops.
bool computes_post_ops(const Graph& graph, const Node& node);

// A post-op as a node that reads and writes the result of the node it is fused into.
struct PostOpNode {
  Node node;
  std::optional<uint32_t> other;  // as in PostOp
  bool swapped = false;
};
// All steps; an activation is part of the operator before it, where that has one of its own.
std::vector<PostOpNode> post_op_nodes_of(const Node& node);

// Computes one on `result`. `in` are the contents of all operands of the node that it is fused into.
Status run_post_op(const PostOpNode& step, const NodeView& view, std::span<const std::byte* const> in,
                   std::byte* result, ThreadPool& pool);

}  // namespace nnrt::cpu
