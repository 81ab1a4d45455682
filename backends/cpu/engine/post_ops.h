// Post-ops (core/passes/fuse.h) on the CPU. A kernel may compute them itself; otherwise they run in place on
// the node's result, which saves a temporary.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "core/passes/fuse.h"

#include <optional>
#include <vector>

namespace nnrt::cpu {

// Allows any post-op after any operator that writes its own result; after FLOAT32 GEMMs and convolutions,
// only those their kernels compute.
FuseRules fuse_rules();

// Returns whether the node's kernel computes all of its post-ops.
bool computes_post_ops(const Graph& graph, const Node& node);

// A post-op as a node that updates the result of the node it is fused into.
struct PostOpNode {
  Node node;
  std::optional<uint32_t> other;  // as in PostOp
  bool swapped = false;
};
// All post-ops, except activations that became an attribute of the preceding operator.
std::vector<PostOpNode> post_op_nodes_of(const Node& node);

// Applies one to `result`. `in` holds all operands of the node it is fused into.
Status run_post_op(const PostOpNode& step, const NodeView& view, std::span<const std::byte* const> in,
                   std::byte* result, ThreadPool& pool);

}  // namespace nnrt::cpu
