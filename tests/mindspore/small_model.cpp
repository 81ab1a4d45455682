#include "tests/mindspore/small_model.h"

#include "core/base/bytes_of.h"
#include "mindspore/schema/enumerations.h"
#include "tools/import/mindspore/writer/ms_serializer.h"

namespace nnrt::test {
namespace {

using mindspore::Primitive;
using mindspore::PrimitiveType;
using mindspore::SourceGraph;
using mindspore::SourceNode;
using mindspore::SourceTensor;

SourceTensor tensor_of_floats(std::string name, Shape dims, std::vector<float> values = {}) {
  SourceTensor tensor;
  tensor.name = std::move(name);
  tensor.type_id = mindspore::kTypeFloat32;
  tensor.dims = std::move(dims);
  tensor.format = mindspore::kNhwc;
  if (values.empty()) return tensor;
  tensor.data = std::make_shared<const Bytes>(bytes_of(values));
  return tensor;
}

SourceNode node_of(std::string name, Primitive primitive, std::vector<uint32_t> inputs, uint32_t output) {
  SourceNode node;
  node.name = std::move(name);
  node.primitive = std::move(primitive);
  node.inputs = std::move(inputs);
  node.outputs = {output};
  return node;
}

Primitive relu() {
  Primitive relu(PrimitiveType::activation);
  relu.set("activation_type", int64_t{1});
  return relu;
}

}  // namespace

Bytes small_model(bool has_unknown_node) {
  SourceGraph graph;
  graph.tensors = {tensor_of_floats("x", {1, 2}),      tensor_of_floats("two", {1}, {2}),
                   tensor_of_floats("a", {1, 2}),      tensor_of_floats("b", {1, 2}),
                   tensor_of_floats("c", {2}, {1, 2}), tensor_of_floats("y", {1, 2})};
  graph.nodes = {node_of("mul", Primitive(PrimitiveType::mul_fusion), {0, 1}, 2),
                 node_of("relu", has_unknown_node ? Primitive(PrimitiveType::unique) : relu(), {2}, 3),
                 node_of("add", Primitive(PrimitiveType::add_fusion), {3, 4}, 5)};
  graph.inputs = {0};
  graph.outputs = {5};
  return import::mindspore::serialize(graph).value();
}

Bytes half_model() {
  SourceGraph graph;
  graph.tensors = {tensor_of_floats("x", {1, 2}), tensor_of_floats("y", {1, 2})};
  for (SourceTensor& tensor : graph.tensors) tensor.type_id = mindspore::kTypeFloat16;
  graph.nodes = {node_of("relu", relu(), {0}, 1)};
  graph.inputs = {0};
  graph.outputs = {1};
  return import::mindspore::serialize(graph).value();
}

}  // namespace nnrt::test
