// A graph that is being rewritten, node by node.
//
// Whatever a rewrite does, what the readers of a tensor see keeps its dtype, quantization, shape and format.
// The first three are compared where readers are led to another tensor (forward(), same_values()). The format
// is a label of tensors that only nodes which depend on the layout read: each of them keeps its own from the
// beginning (Node::format), so that no rewrite needs to look at labels.
#pragma once

#include "core/graph/graph.h"

#include <optional>
#include <string>
#include <vector>

namespace nnrt::simplified {

class Rewriter {
 public:
  explicit Rewriter(Graph graph);
  Graph take();  // without the nodes whose results nobody reads

  size_t node_count() const { return nodes_.size(); }
  // Null where the node is gone.
  const Node* node(NodeId id) const { return nodes_[id] ? &*nodes_[id] : nullptr; }

  const Tensor& tensor(TensorId id) const { return graph_.tensors[id]; }
  const Shape& shape(TensorId id) const { return graph_.shapes[id]; }
  bool is_output(TensorId id) const { return is_output_[id]; }
  // FLOAT16 or FLOAT32, not quantized.
  bool is_plain_float(TensorId id) const;
  // Returns whether both have one dtype and quantization, so that the same bytes are the same values.
  bool same_values(TensorId a, TensorId b) const;
  // The format of the node's data.
  Format format_of(const Node& node) const { return graph_.format_of(node); }

  // The node that computes the tensor; null for inputs and constants.
  const Node* writer(TensorId id) const;
  // The same if it is this operator and makes sense.
  const Node* writer(TensorId id, Op op) const;
  // Returns how often nodes and the client read it.
  uint32_t reads(TensorId id) const { return reads_[id]; }
  // True if there is one reader, and the client does not see it.
  bool is_read_once(TensorId id) const { return reads_[id] == 1 && !is_output_[id]; }

  // The contents of a constant of FLOAT16 or FLOAT32; of INT32 or INT64.
  std::optional<std::vector<double>> floats(TensorId id) const;
  std::optional<std::vector<int64_t>> integers(TensorId id) const;
  // The one value of such a constant.
  std::optional<double> real(TensorId id) const;
  bool is_number(TensorId id, double value) const;  // to the precision of its dtype

  // A constant like `model` with other contents. Nothing where one of them is not a finite number of its
  // dtype.
  std::optional<TensorId> add_floats(const Tensor& model, const std::string& name, Shape shape,
                                     const std::vector<double>& values);
  TensorId add_integers(const Tensor& model, Shape shape, const std::vector<int64_t>& values);

  TensorId add(Tensor constant);

  // Adds a node without outputs yet, and gives the one that it writes: like `model`, in that shape. It stands
  // before the nodes that come to read it.
  TensorId append(Node node, const Tensor& model, Shape shape);
  // Replaces the node with that number by `node`, which writes the same and computes what nobody else reads
  // of its operands too.
  void replace(NodeId id, Node node);
  // Whoever reads `from` reads `to` instead, whose bytes are the same. False, and nothing is changed, where
  // readers would see other values or another shape, or where the client reads `from`.
  bool forward(TensorId from, TensorId to);

 private:
  void add_node(Node node);
  void take_with_operands(NodeId id);
  void count(NodeId reader, const Node& node);
  void discount(const Node& node);
  // Removes the writer of the tensor if nobody reads what it writes. `heir` computes that instead.
  void drop_unread(TensorId id, std::optional<NodeId> heir);
  // Takes the node out, with the positions of all that it computes.
  Node taken(NodeId id);

  Graph graph_;  // without nodes
  std::vector<std::optional<Node>> nodes_;
  std::vector<bool> is_output_;
  std::vector<uint32_t> reads_;
  std::vector<std::vector<NodeId>> readers_;  // by tensor: all that read it, and some that once did
  std::vector<std::optional<NodeId>> writer_;
  std::vector<uint32_t> position_;          // by node, as it came: by itself, with nothing fused
  std::vector<std::vector<NodeId>> parts_;  // by node: those that it computes instead
};

// The rewrites. Each looks at the node with that number as the last of its pattern, and says whether it
// changed something.
bool fuse_activation(Rewriter& graph, NodeId id);
bool fuse_batch_norm_activation(Rewriter& graph, NodeId id);
bool fold_channels(Rewriter& graph, NodeId id);
bool fold_padding(Rewriter& graph, NodeId id);
bool fold_nan_guard(Rewriter& graph, NodeId id);
bool move_scale(Rewriter& graph, NodeId id);
bool fold_transpose(Rewriter& graph, NodeId id);
bool fold_repeated_heads(Rewriter& graph, NodeId id);
bool find_attention(Rewriter& graph, NodeId id);
bool find_gate(Rewriter& graph, NodeId id);
bool find_gelu(Rewriter& graph, NodeId id);
bool find_layer_norm(Rewriter& graph, NodeId id);
bool find_rms_norm(Rewriter& graph, NodeId id);
bool find_group_norm(Rewriter& graph, NodeId id);
bool find_rotary_embedding(Rewriter& graph, NodeId id);
bool merge_data_movement(Rewriter& graph, NodeId id);
bool drop_identity(Rewriter& graph, NodeId id);

}  // namespace nnrt::simplified
