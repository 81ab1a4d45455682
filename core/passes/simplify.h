// Device-independent simplifications. Devices call this in prepare(), before fuse() (core/passes/fuse.h).
#pragma once

#include "core/graph/graph.h"
#include "core/passes/kernel_choice.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnrt {

// Results stay what they are but for the rounding of constants and of what was stored between. Inputs and
// outputs of the graph stay; tensors keep their numbers, new ones (constants) stand behind them. Nothing that
// is quantized changes, except that a PAD goes into its convolution. With NNRT_TEST_FUSE=off the graph is
// returned as it is.
//
//   CONV2D, .. RELU, RELU6, CLIP       -> the operator's own activation
//   CONV2D, .. BATCH_NORM, SCALE, MUL, ADD, SUB, DIV, BIAS_ADD by constants of a channel
//                                      -> the constant weight and bias of the convolution or full connection
//   PAD, CONV2D                        -> the convolution's own padding
//   x * SIGMOID(x), x * HARD_SIGMOID(x), x * RELU6(x + 3) / 6, x * (1 + ERF(x / sqrt 2)) / 2, x * (1 +
//   TANH(..)) / 2
//                                      -> SWISH, HSWISH, HSWISH, GELU, GELU
//   the mean and variance of the last dimension, by operators of their own
//                                      -> LAYER_NORM
//   MATMUL of queries and keys, scaled and masked, SOFTMAX, MATMUL with values
//                                      -> ATTENTION, also of repeated heads; for rows that see nothing
//                                         it gives what the SOFTMAX did, NaN or (zero_nan) zeros
//   TRANSPOSE, TRANSPOSE; RESHAPE, RESHAPE; what changes nothing
//                                      -> one, or none
//
// `kernels` may forbid rewrites by name, and force those that the device would only be slower with.
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
