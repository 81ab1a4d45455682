// Device-independent simplifications. Devices call this in prepare(), before fuse() (core/passes/fuse.h).
#pragma once

#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnrt {

// Results are unchanged except for rounding of constants and of intermediates. Graph inputs and outputs are
// unchanged; tensors keep their numbers and new constants are appended. Quantized nodes are not changed,
// except that a PAD is merged into its convolution, and transposes around a pool removed. With
// NNRT_TEST_FUSE=off the graph is returned unchanged.
//
//   CONV2D etc., then RELU, RELU6 or CLIP -> the operator's fused activation
//   CONV2D etc., then BATCH_NORM, SCALE, MUL, ADD, SUB, DIV or BIAS_ADD by per-channel constants
//     -> the weight and bias of the convolution or fully connected layer
//   PAD, CONV2D -> the convolution's padding
//   x * SIGMOID(x) -> SWISH
//   x * HARD_SIGMOID(x), x * RELU6(x + 3) / 6 -> HSWISH
//   x * (1 + ERF(x / sqrt 2)) / 2, x * (1 + TANH(..)) / 2 -> GELU
//   mean and variance of the last dimension in separate operators -> LAYER_NORM
//   MATMUL of queries and keys, scale and mask, SOFTMAX, MATMUL with values -> ATTENTION, also with repeated
//     heads; NaN rows give the same as the SOFTMAX did: NaN or zeros
//   TRANSPOSE to channels last, pool, TRANSPOSE back -> a pool of planes of one channel
//   consecutive TRANSPOSEs or RESHAPEs, no-ops -> one, or none
//
// `kernels` can forbid rewrites by name, and force those that would only be slower on the device.
struct RewriteObjection {
  std::string_view name;
  WhyNot why;
};
Graph simplify(const Graph& graph, const KernelSwitch& kernels = {},
               std::span<const RewriteObjection> objections = {});

// The rewrites in the order in which they are tried on each node, with the reason for those that are skipped.
std::vector<std::string_view> rewrite_names();
std::vector<PassChoice> rewrite_choices(const KernelSwitch& kernels,
                                        std::span<const RewriteObjection> objections = {});

}  // namespace nnrt
