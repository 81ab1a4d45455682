// A model under construction (api.md 4, 5 and 11.7).
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <span>

namespace nnrt {

class GraphBuilder {
 public:
  bool finished() const { return graph_ != nullptr; }
  // Null until finished.
  const GraphPtr& graph() const { return graph_; }

  // The tensor's number is the count of tensors added before. Checks dtype, dimensions, size and role.
  Status add_tensor(Tensor tensor);
  Status set_role(uint32_t index, int tensor_type);
  // Copies the data.
  Status set_data(uint32_t index, ByteView data);
  // Shares the data, unless it is not aligned for its elements.
  Status lend_data(uint32_t index, SharedBytes data);
  // Dimension d of the tensor is dimension order[d] of the data.
  Status lend_transposed(uint32_t index, SharedBytes data, std::span<const uint32_t> order);
  Status set_quant(uint32_t index, Quant quant);
  Status add_operation(int operation_type, std::span<const uint32_t> params, std::span<const uint32_t> inputs,
                       std::span<const uint32_t> outputs);
  // The same for a node that has attributes already; sets its position.
  Status add_node(Node node);
  Status specify(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs);
  // If this fails, the model may be completed and finished again.
  Status finish();
  // A graph that was not built by these calls.
  void adopt(GraphPtr graph) { graph_ = std::move(graph); }

  size_t tensor_count() const { return tensors_.size(); }

 private:
  Status require_open() const;
  Status require_index(uint32_t index) const;
  Status require_data(uint32_t index, size_t bytes) const;
  Status require_indices(std::span<const uint32_t> indices) const;
  Status require_operands(Op op, std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) const;
  Status transpose_operands(Op op, std::span<const uint32_t> inputs) const;
  Result<std::vector<Node>> sorted_nodes() const;

  std::vector<Tensor> tensors_;
  std::vector<Node> nodes_;  // in call order
  std::vector<TensorId> inputs_, outputs_;
  bool specified_ = false;
  GraphPtr graph_;
};

}  // namespace nnrt
