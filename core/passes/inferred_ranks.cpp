#include "core/passes/inferred_ranks.h"

#include "core/schema/infer.h"
#include "core/schema/node_view.h"
#include "core/schema/schema.h"

#include <algorithm>
#include <optional>

namespace nnrt {
namespace {

// Returns whether the declared rank may differ from the inferred one.
bool may_differ(const Shape& shape) { return compatible(shape, {}); }

// The inferred output shapes, if the rank of any differs from the declared one.
std::optional<std::vector<Shape>> other_shapes(const Graph& graph, const Node& node,
                                               std::span<const std::byte* const> values) {
  const auto is_candidate = [&](TensorId id) { return may_differ(graph.shapes[id]); };
  if (node.diagnosis || !std::ranges::any_of(node.outputs, is_candidate)) return {};
  auto inferred = schema(node.op).infer(NodeView(graph, node, graph.shapes, values));
  if (!inferred.ok()) return {};
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (inferred.value()[i].size() != graph.shapes[node.outputs[i]].size())
      return std::move(inferred).value();
  }
  return {};
}

Node adapter(TensorId from, TensorId to, bool drops, uint32_t position) {
  Node node{drops ? Op::squeeze : Op::unsqueeze, {from}, {to}, {}, position, {}};
  node.attrs.set(Attr::axis, {.dtype = DType::i64, .integers = {0}, .floats = {}});
  return node;
}

}  // namespace

Graph with_inferred_ranks(Graph graph) {
  const std::vector<const std::byte*> values = constant_values(graph);
  std::vector<Node> nodes;
  nodes.reserve(graph.nodes.size());
  for (Node& node : graph.nodes) {
    auto shapes = other_shapes(graph, node, values);
    nodes.push_back(std::move(node));
    if (!shapes) continue;
    const size_t position = nodes.size() - 1;
    for (size_t i = 0; i < shapes->size(); ++i) {
      const TensorId declared = nodes[position].outputs[i];
      Shape& shape = (*shapes)[i];
      if (shape.size() == graph.shapes[declared].size()) continue;
      std::ranges::replace(shape, kUnknown,
                           int64_t{1});  // a run with another size would contradict the declaration
      const auto made = TensorId(graph.tensors.size());
      Tensor tensor = graph.tensors[declared];
      tensor.name += " as inferred";
      tensor.shape = shape;
      graph.tensors.push_back(std::move(tensor));
      graph.shapes.push_back(shape);
      nodes[position].outputs[i] = made;
      nodes.push_back(adapter(made, declared, shape.size() == 1, nodes[position].position));
    }
  }
  graph.nodes = std::move(nodes);
  return graph;
}

}  // namespace nnrt
