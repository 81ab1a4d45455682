// Fuses elementwise nodes into the preceding node as post-ops, so that a device computes both in one pass
// without storing the intermediate.
#pragma once

#include "core/graph/graph.h"

#include <functional>

namespace nnrt {

// Tells which post-ops a device's kernels support. `fused` is the node with its post-ops; all but the last
// have already been accepted one by one, except that an activation of a post-op becomes a separate post-op
// and is queried together with it. The device may look at:
//   fused.op, .attrs: the operator with its own activation (Attr::activation)
//   fused.post_ops: the post-ops, in order
//   graph.tensors, shapes: dtypes and shapes of fused.inputs (the operator's, then the post-ops' in order)
//   and of fused.outputs[0]
// Guaranteed for each query:
//   - one output, FLOAT16 or FLOAT32, not quantized; all operands of post-ops have its dtype;
//   - the result keeps the shape of the operator's result after each post-op: the other operand broadcasts to
//     it in every run, even with unknown dimensions;
//   - no post-op reads the result twice: x * x and x * sigmoid(x) are other nodes;
//   - post-ops are unary operators, and ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, SQUARED_DIFFERENCE, MOD,
//     ELTWISE; their `attrs` are the operators' (CLIP's bounds, GELU's approximate).
// Values between post-ops need not be rounded to FLOAT16 (R13).
struct FuseRules {
  std::function<bool(const Graph& graph, const Node& fused)> supports;
};

// Maximum number of post-ops per node. Each added post-op costs a query, so this keeps time and memory linear
// in the graph; the extra pass over memory is negligible.
inline constexpr size_t kMaxPostOps = 64;

// Pure. Tensors, inputs and outputs are unchanged; a fused node takes the place of its last part and the
// position of its first. Leaves RELU or RELU6 after an operator without activation: simplify() has already
// made those attributes.
Graph fuse(const Graph& graph, const FuseRules& rules);

// Returns whether fuse() is enabled: NNRT_TEST_FUSE=off keeps all nodes, for comparison.
bool fusing_is_on();

}  // namespace nnrt
