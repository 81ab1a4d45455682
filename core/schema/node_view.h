// A node as seen by rules, kernels and lowerings: its row, and its operands with the shapes and values known
// at this point (at Finish: constants; on the CPU device: everything computed so far).
#pragma once

#include "core/graph/graph.h"

#include <optional>

namespace nnrt {

struct OpSchema;

class NodeView {
 public:
  // `shapes` and `values` are indexed by TensorId; unknown values are null.
  NodeView(const Graph& graph, const Node& node, std::span<const Shape> shapes,
           std::span<const std::byte* const> values)
      : graph_(&graph), node_(&node), shapes_(shapes), values_(values) {}

  const Node& node() const { return *node_; }
  Op op() const { return node_->op; }
  const OpSchema& schema() const;
  const Attrs& attrs() const { return node_->attrs; }

  size_t input_count() const { return node_->own_inputs(); }  // without operands of post-ops
  size_t output_count() const { return node_->outputs.size(); }

  // dtype, quant, data. (Their `shape` and `format` are the declared ones: use shape() and format().)
  const Tensor& input(size_t i) const { return graph_->tensors[node_->inputs[i]]; }
  const Tensor& output(size_t i) const { return graph_->tensors[node_->outputs[i]]; }
  DType dtype(size_t i = 0) const { return input(i).dtype; }

  // The format of input 0 and of the outputs.
  Format format() const { return graph_->format_of(*node_); }

  const Shape& shape(size_t i = 0) const { return shapes_[node_->inputs[i]]; }
  const Shape& output_shape(size_t i = 0) const { return shapes_[node_->outputs[i]]; }

  // The contents of input i, or null.
  const std::byte* data(size_t i) const { return values_[node_->inputs[i]]; }
  // The values of an INT32 or INT64 input, if known.
  std::optional<std::vector<int64_t>> integers(size_t i) const;

  // True if the operator computes on dequantized values (R12).
  bool is_quantized() const;

 private:
  const Graph* graph_;
  const Node* node_;
  std::span<const Shape> shapes_;
  std::span<const std::byte* const> values_;
};

}  // namespace nnrt
