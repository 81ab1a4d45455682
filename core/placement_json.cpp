// The placement for programs: docs/trace.md has its form.
#include "core/compile.h"
#include "core/json.h"
#include "core/schema.h"

#include <map>

namespace nnrt {
namespace {

std::string tensor_json(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensors[id];
  JsonObject json;
  json.add("id", id).add("name", tensor.name).add("dtype", name(tensor.dtype));
  json.add_json("shape", json_array(graph.shapes[id]));
  const auto bytes = byte_size(tensor.dtype, graph.shapes[id]);
  json.add_json("bytes", bytes ? std::to_string(*bytes) : "null");
  if (tensor.is_constant()) json.add_json("constant", "true");
  return json.text();
}

std::string tensors_json(const Graph& graph, const std::vector<TensorId>& ids) {
  return json_array(ids, [&](TensorId id) { return tensor_json(graph, id); });
}

std::string value_text(const AttrValue& value) {
  const std::string all = is_float(value.dtype)
                              ? json_array(value.reals, [](double real) { return json_number(real); })
                              : json_array(value.integers);
  return value.count() == 1 ? all.substr(1, all.size() - 2) : all;
}

// By the names of the parameters' tensor types.
std::string attributes_json(const Node& node) {
  JsonObject json;
  for (const ParamRow& row : schema(node.op).params) {
    if (node.attrs.has(row.attr)) json.add(row.type_name, value_text(node.attrs.at(row.attr)));
  }
  return json.text();
}

std::string arena_json(const ArenaPlan& arena) {
  return JsonObject()
      .add("bytes", arena.bytes)
      .add_json("places", json_array(arena.places,
                                     [](const ArenaPlan::Place& place) {
                                       return JsonObject()
                                           .add("name", place.name)
                                           .add("offset", place.offset)
                                           .add("bytes", place.bytes)
                                           .add("first", place.first)
                                           .add("last", place.last)
                                           .text();
                                     }))
      .text();
}

std::string step_json(const CompiledModel& model, const CompiledModel::Step& step) {
  const auto operation = [&](NodeId node) { return std::to_string(model.lowered->nodes[node].position); };
  return JsonObject()
      .add("device", step.device->info().name)
      .add_json("operations", json_array(step.nodes, operation))
      .add_json("inputs", tensors_json(*model.lowered, step.inputs))
      .add_json("outputs", tensors_json(*model.lowered, step.outputs))
      .add_json("arena", arena_json(step.model->arena()))
      .text();
}

// The partitions in which something of each operation runs: none where it was folded into a constant.
std::map<uint32_t, std::vector<int64_t>> partitions_of_operations(const CompiledModel& model) {
  std::map<uint32_t, std::vector<int64_t>> partitions;
  for (size_t i = 0; i < model.steps.size(); ++i) {
    for (const NodeId node : model.steps[i].nodes) {
      std::vector<int64_t>& known = partitions[model.lowered->nodes[node].position];
      if (known.empty() || known.back() != static_cast<int64_t>(i)) known.push_back(static_cast<int64_t>(i));
    }
  }
  return partitions;
}

}  // namespace

std::string CompiledModel::placement_json() const {
  auto partitions = partitions_of_operations(*this);
  const auto node_json = [&](const Node& node) {
    const PlacedNode& placed = placement[node.position];
    return JsonObject()
        .add("operation", node.position)
        .add("operator", name(node.op))
        .add("device", placed.device)
        .add("reason", placed.reason)
        .add_json("partitions", json_array(partitions[node.position]))
        .add_json("inputs", tensors_json(*graph, node.inputs))
        .add_json("outputs", tensors_json(*graph, node.outputs))
        .add_json("attributes", attributes_json(node))
        .text();
  };
  return JsonObject()
      .add("device", device->info().name)
      .add("choice", choice)
      .add_json("inputs", tensors_json(*graph, graph->inputs))
      .add_json("outputs", tensors_json(*graph, graph->outputs))
      .add_json("nodes", json_array(graph->nodes, node_json))
      .add_json("partitions",
                json_array(steps, [&](const CompiledModel::Step& step) { return step_json(*this, step); }))
      .text();
}

}  // namespace nnrt
