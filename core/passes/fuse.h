// Makes elementwise nodes post-ops of the node before them (Node::then), so that a device computes both in
// one pass and never stores the value between.
#pragma once

#include "core/graph/graph.h"

#include <functional>

namespace nnrt {

// Says which post-ops a device's kernels support. `fused` is the node with its post-ops; all but the last
// were accepted before, one by one, but for an activation, which is a post-op of its own behind the operator
// that it belongs to and asked about together with it. The device may look at:
//   fused.op, .attrs      the operator, its own activation (Attr::activation) included
//   fused.post_ops        the post-ops, in order
//   graph.tensors, shapes dtypes and shapes of fused.inputs (the operator's own, then the post-ops', in
//                         their order) and of fused.outputs[0]
// Every node that it is asked about has these properties:
//   - one output, FLOAT16 or FLOAT32, not quantized; all operands of post-ops have its dtype;
//   - the result has the shape of the operator's result, after each post-op: its operand broadcasts to
//     it, in every run, also where dimensions are unknown;
//   - no post-op reads the result a second time: x * x, x * sigmoid(x) are other nodes;
//   - post-ops are the unary operators, and ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, SQUARED_DIFFERENCE,
//     MOD, ELTWISE; their `attrs` are those of the operators (CLIP's bounds, GELU's approximate).
// Values between post-ops need not be rounded to FLOAT16 (R13).
struct FuseRules {
  std::function<bool(const Graph& graph, const Node& fused)> supports;
};

// A node has at most so many post-ops: devices are asked again for each that is added, so that time and
// memory stay proportional to the graph. One more pass over memory is nothing to that.
inline constexpr size_t kMaxPostOps = 64;

// Pure. Tensors, inputs and outputs stay as they are; a fused node stands where its last part stood and has
// the position of its first. An operator whose own activation is none and that is followed by RELU or RELU6
// is not changed here: simplify() has moved these into the attribute.
Graph fuse(const Graph& graph, const FuseRules& rules);

// Returns whether fuse() is to be called at all: NNRT_TEST_FUSE=off keeps every node as it is, for comparing.
bool fusing_is_on();

}  // namespace nnrt
