// Converts the nodes of a graph to NHWC, one behind the other.
#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace nnrt {

// Returns whether the node's kernels know NHWC only. (Movement operators, BATCH_NORM and their like follow
// the format.)
bool wants_nhwc(const Node& node);

// Returns whether a tensor is of rank 4 and NCHW.
bool is_nchw(const Tensor& tensor);

// Convertible tensors are results of a TRANSPOSE, or of a RESHAPE of one, as shuffles of channels and ways
// back from sequences to images end: with another permutation they lie as NHWC.
struct LayoutChoice {
  bool follows_reshapes = true;  // false: nothing is converted between a RESHAPE and the TRANSPOSE behind it
  std::vector<TensorId> converted{};  // convertible tensors that are to lie as NHWC
};

struct ConvertedGraph {
  Graph graph;  // with nodes whose results nobody reads
  bool has_followed_reshapes = false;
  std::vector<TensorId> convertible;  // those that nodes behind them want as NHWC, and that are not
};

ConvertedGraph convert_to_nhwc(const Graph& graph, const LayoutChoice& choice);

}  // namespace nnrt
