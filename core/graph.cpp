#include "core/graph.h"

#include <algorithm>

namespace nnrt {
namespace {

// Adds each id once, in the order of first sight.
class IdList {
 public:
  explicit IdList(size_t tensor_count) : seen_(tensor_count, false) {}

  void add(TensorId id) {
    if (!seen_[id]) ids_.push_back(id);
    seen_[id] = true;
  }
  std::vector<TensorId> take() { return std::move(ids_); }

 private:
  std::vector<bool> seen_;
  std::vector<TensorId> ids_;
};

}  // namespace

std::optional<size_t> byte_size(DType dtype, const Shape& shape) {
  const auto count = element_count(shape);
  int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, static_cast<int64_t>(size_of(dtype)), &bytes)) return {};
  return static_cast<size_t>(bytes);
}

Graph Graph::subgraph(std::span<const NodeId> chosen) const {
  std::vector<bool> inside(tensors.size(), false), read_outside(tensors.size(), false);
  std::vector<bool> is_chosen(nodes.size(), false);
  for (const NodeId node : chosen) is_chosen[node] = true;
  for (const TensorId id : outputs) read_outside[id] = true;
  for (NodeId node = 0; node < nodes.size(); ++node) {
    for (const TensorId id : nodes[node].outputs) inside[id] = inside[id] || is_chosen[node];
    for (const TensorId id : nodes[node].inputs) read_outside[id] = read_outside[id] || !is_chosen[node];
  }

  Graph part{tensors, {}, {}, {}, shapes};
  IdList needed(tensors.size()), wanted(tensors.size());
  for (const NodeId node : chosen) {
    part.nodes.push_back(nodes[node]);
    for (const TensorId id : nodes[node].inputs) {
      if (!inside[id] && !tensors[id].is_constant()) needed.add(id);
    }
    for (const TensorId id : nodes[node].outputs) {
      if (read_outside[id]) wanted.add(id);
    }
  }
  part.inputs = needed.take();
  part.outputs = wanted.take();
  return part;
}

}  // namespace nnrt
