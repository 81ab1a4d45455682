#include "core/schema/infer.h"

#include "core/base/text.h"
#include "core/schema/node_view.h"
#include "core/schema/validate.h"

namespace nnrt {
namespace {

std::string describe(const Node& node) {
  return cat("checking ", name(node.op), " (operation ", node.position, ")");
}

std::vector<Shape> declared_shapes(const Graph& graph) {
  std::vector<Shape> shapes;
  shapes.reserve(graph.tensors.size());
  for (const Tensor& tensor : graph.tensors) shapes.push_back(tensor.shape);
  return shapes;
}

void store(const Node& node, std::vector<Shape>&& inferred, std::vector<Shape>& shapes) {
  for (size_t i = 0; i < inferred.size(); ++i) shapes[node.outputs[i]] = std::move(inferred[i]);
}

}  // namespace

void infer(Graph& graph) {
  graph.shapes = declared_shapes(graph);
  const std::vector<const std::byte*> values = constant_values(graph);
  for (Node& node : graph.nodes) {
    auto inferred = infer_node(NodeView(graph, node, graph.shapes, values));
    if (inferred.ok()) {
      store(node, std::move(inferred).value(), graph.shapes);
    } else {
      node.diagnosis = std::move(inferred).error().during(describe(node));
    }
  }
}

Result<std::vector<Shape>> infer_run(const Graph& graph, std::span<const Shape> inputs) {
  std::vector<Shape> shapes = declared_shapes(graph);
  for (size_t i = 0; i < inputs.size(); ++i) shapes[graph.inputs[i]] = inputs[i];
  const std::vector<const std::byte*> values = constant_values(graph);
  for (const Node& node : graph.nodes) {
    if (node.diagnosis) continue;  // a plugin claimed it and is believed
    auto inferred = infer_node(NodeView(graph, node, shapes, values));
    if (!inferred.ok()) return std::move(inferred).error().during(describe(node));
    store(node, std::move(inferred).value(), shapes);
  }
  return shapes;
}

std::vector<const std::byte*> constant_values(const Graph& graph) {
  std::vector<const std::byte*> values;
  values.reserve(graph.tensors.size());
  for (const Tensor& tensor : graph.tensors) values.push_back(tensor.data ? tensor.data->data() : nullptr);
  return values;
}

}  // namespace nnrt
