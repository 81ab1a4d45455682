// A graph during node-by-node rewriting.
//
// No rewrite changes the dtype, quantization, shape or format that a tensor's readers see. The first three
// are compared when readers are redirected to another tensor (forward(), same_values()). The format only
// matters to layout-dependent nodes, which all have Node::format set from the start, so rewrites can ignore
// the tensors' formats.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace nnrt::simplified {

class Rewriter {
 public:
  explicit Rewriter(Graph graph);
  Graph take();  // without unused nodes

  size_t node_count() const { return nodes_.size(); }
  // Null if the node was removed.
  const Node* node(NodeId id) const { return nodes_[id] ? &*nodes_[id] : nullptr; }

  const Tensor& tensor(TensorId id) const { return graph_.tensors[id]; }
  const Shape& shape(TensorId id) const { return graph_.shapes[id]; }
  bool is_output(TensorId id) const { return is_output_[id]; }
  // FLOAT16 or FLOAT32, not quantized.
  bool is_plain_float(TensorId id) const;
  // Returns whether both have the same dtype and quantization.
  bool same_values(TensorId a, TensorId b) const;
  // The format of the node's data.
  Format format_of(const Node& node) const { return graph_.format_of(node); }

  // The node that computes the tensor; null for inputs and constants.
  const Node* writer(TensorId id) const;
  // The same, if it is this operator and valid.
  const Node* writer(TensorId id, Op op) const;
  // Number of reads by nodes and the client.
  uint32_t reads(TensorId id) const { return reads_[id]; }
  // True if it has a single reader and is not a graph output.
  bool is_read_once(TensorId id) const { return reads_[id] == 1 && !is_output_[id]; }

  // The values of a FLOAT16 or FLOAT32 constant, and of an INT32 or INT64 constant.
  std::optional<std::vector<double>> floats(TensorId id) const;
  std::optional<std::vector<int64_t>> integers(TensorId id) const;
  // The value of a one-element constant.
  std::optional<double> real(TensorId id) const;
  bool is_number(TensorId id, double value) const;  // up to the precision of its dtype

  // Adds a constant like `model` with other contents. Empty if a value is not finite in its dtype.
  std::optional<TensorId> add_floats(const Tensor& model, const std::string& name, Shape shape,
                                     const std::vector<double>& values);
  TensorId add_integers(const Tensor& model, Shape shape, const std::vector<int64_t>& values);

  TensorId add(Tensor constant);

  // Adds a node without outputs and returns its new output tensor: like `model`, with this shape. The node is
  // placed before its readers.
  TensorId append(Node node, const Tensor& model, Shape shape);
  // Replaces a node by one with the same outputs. `node` also takes over operands that nothing else reads.
  void replace(NodeId id, Node node);
  // Redirects readers of `from` to `to`, which has the same bytes; if `from` is a graph output, the writer of
  // `to` writes it. Returns false without changes if readers would see other values or another shape, or if
  // `to` is needed beside an output.
  bool forward(TensorId from, TensorId to);

 private:
  void add_node(Node node);
  void take_with_operands(NodeId id);
  void count(NodeId reader, const Node& node);
  void discount(const Node& node);
  // Replaces a copy of the result `from`, which nothing else reads.
  bool write_output(TensorId output, TensorId from);
  // Removes the tensor's writer if its results are unused; `heir` then computes it.
  void drop_unread(TensorId id, std::optional<NodeId> heir);
  // Removes and returns the node, with the positions of everything that it computes.
  Node taken(NodeId id);

  Graph graph_;  // without nodes
  std::vector<std::optional<Node>> nodes_;
  std::vector<bool> is_output_;
  std::vector<uint32_t> reads_;
  std::vector<std::vector<NodeId>> readers_;  // by tensor: current and some former readers
  std::vector<std::optional<NodeId>> writer_;
  std::vector<uint32_t> position_;          // by node: its original position, before fusion
  std::vector<std::vector<NodeId>> parts_;  // by node: the nodes it replaces
};

// The rewrites. Each tries to match a pattern that ends at the given node, and returns whether it changed
// anything.
bool fuse_activation(Rewriter& graph, NodeId id);
bool fuse_batch_norm_activation(Rewriter& graph, NodeId id);
bool fold_channels(Rewriter& graph, NodeId id);
bool fold_padding(Rewriter& graph, NodeId id);
bool fold_nan_guard(Rewriter& graph, NodeId id);
bool move_scale(Rewriter& graph, NodeId id);
bool fold_transpose(Rewriter& graph, NodeId id);
bool find_attention(Rewriter& graph, NodeId id);
bool flatten_conv3d(Rewriter& graph, NodeId id);
bool split_depthwise_conv3d(Rewriter& graph, NodeId id);
bool unroll_conv3d(Rewriter& graph, NodeId id);
bool unroll_narrow_conv3d(Rewriter& graph, NodeId id);  // planes of up to 8 output channels
bool find_gate(Rewriter& graph, NodeId id);
bool find_gelu(Rewriter& graph, NodeId id);
bool find_layer_norm(Rewriter& graph, NodeId id);
bool find_rms_norm(Rewriter& graph, NodeId id);
bool find_rotary_embedding(Rewriter& graph, NodeId id);
bool merge_data_movement(Rewriter& graph, NodeId id);
bool pool_planes(Rewriter& graph, NodeId id);  // instead of transposing at both ends of a pool
bool drop_identity(Rewriter& graph, NodeId id);

}  // namespace nnrt::simplified
