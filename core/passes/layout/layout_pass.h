// Converts the nodes of a graph to NHWC, in order.
#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace nnrt {

// Returns whether the node's kernels only support NHWC. (Data movement, BATCH_NORM etc. use the tensor's
// format.)
bool wants_nhwc(const Node& node);

// Returns whether a tensor is rank-4 NCHW.
bool is_nchw(const Tensor& tensor);

// Convertible tensors are results of a TRANSPOSE, or of a RESHAPE of one, such as the end of a channel
// shuffle or of a sequence-to-image conversion: with another permutation they become NHWC.
struct LayoutChoice {
  bool follows_reshapes = true;  // false: nothing is converted between a RESHAPE and the following TRANSPOSE
  std::vector<TensorId> converted{};  // convertible tensors to store as NHWC
};

struct ConvertedGraph {
  Graph graph;  // may contain unused nodes
  bool has_followed_reshapes = false;
  std::vector<TensorId> convertible;  // not converted, but wanted as NHWC by later nodes
};

ConvertedGraph convert_to_nhwc(const Graph& graph, const LayoutChoice& choice);

}  // namespace nnrt
