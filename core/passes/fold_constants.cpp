#include "core/passes/fold_constants.h"

#include <algorithm>

namespace nnrt {
namespace {

// The node as a graph of its own.
GraphPtr alone(const Graph& graph, const Node& node) {
  auto one = std::make_shared<Graph>();
  Node copy = node;
  const auto take = [&](TensorId& id) {
    one->tensors.push_back(graph.tensors[id]);
    one->shapes.push_back(graph.shapes[id]);
    id = TensorId(one->tensors.size() - 1);
  };
  std::ranges::for_each(copy.inputs, take);
  std::ranges::for_each(copy.outputs, take);
  one->outputs = copy.outputs;
  one->nodes.push_back(std::move(copy));
  return one;
}

class FoldConstants {
 public:
  FoldConstants(const Graph& graph, const Evaluate& evaluate)
      : evaluate_(evaluate), graph_(graph), is_output_(graph.tensors.size(), false) {
    for (const TensorId id : graph.outputs) is_output_[id] = true;
    for (TensorId id = 0; id < graph.tensors.size(); ++id) stands_for_.push_back(id);
    graph_.nodes.clear();
    for (const Node& node : graph.nodes) visit(node);
  }

  Graph take() { return std::move(graph_); }

 private:
  void visit(Node node) {
    for (TensorId& id : node.inputs) id = stands_for_[id];
    if (!is_worth_it(node) || !fold(node)) graph_.nodes.push_back(std::move(node));
  }

  bool is_worth_it(const Node& node) const {
    if (node.diagnosis || node.inputs.empty() || node.outputs.empty()) return false;
    size_t read = 0, written = 0;
    for (const TensorId id : node.inputs) {
      if (!graph_.tensors[id].is_constant()) return false;
      read += graph_.tensors[id].data->size();
    }
    for (const TensorId id : node.outputs) {
      const auto bytes = byte_size(graph_.tensors[id].dtype, graph_.shapes[id]);
      if (bytes.value_or(0) == 0 || is_output_[id]) return false;
      written += *bytes;
    }
    return written <= kMaxGrowth * read + kMaxAdded;
  }

  bool fold(const Node& node) {
    Result<std::vector<Bytes>> results = evaluate_(alone(graph_, node));
    if (!results.ok()) return false;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      Tensor constant = graph_.tensors[node.outputs[i]];
      constant.shape = graph_.shapes[node.outputs[i]];
      constant.data = std::make_shared<const Bytes>(std::move(results.value()[i]));
      stands_for_[node.outputs[i]] = TensorId(graph_.tensors.size());
      graph_.shapes.push_back(constant.shape);
      graph_.tensors.push_back(std::move(constant));
    }
    return true;
  }

  const Evaluate& evaluate_;
  Graph graph_;
  std::vector<bool> is_output_;
  std::vector<TensorId> stands_for_;  // by original tensor id
};

}  // namespace

GraphPtr fold_constants(const GraphPtr& graph, const Evaluate& evaluate) {
  const auto is_constant = [&](TensorId id) { return graph->tensors[id].is_constant(); };
  const auto begins_with_constants = [&](const Node& node) {
    return std::ranges::all_of(node.inputs, is_constant);
  };
  if (std::ranges::none_of(graph->nodes, begins_with_constants)) return graph;
  return std::make_shared<const Graph>(FoldConstants(*graph, evaluate).take());
}

}  // namespace nnrt
