// The placement report as JSON; see docs/trace.md.
#include "core/base/json.h"
#include "core/runtime/operation_kernels.h"
#include "core/schema/schema.h"

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
  if (!tensor.quant.empty()) {
    json.add_json("scales", json_array(tensor.quant.scales, [](double scale) { return json_number(scale); }));
    json.add_json("zero_points",
                  json_array(tensor.quant.zero_points, [](int32_t point) { return std::to_string(point); }));
  }
  return json.text();
}

std::string tensors_json(const Graph& graph, const std::vector<TensorId>& ids) {
  return json_array(ids, [&](TensorId id) { return tensor_json(graph, id); });
}

std::string value_text(const AttrValue& value) {
  const std::string all = is_float(value.dtype)
                              ? json_array(value.floats, [](double real) { return json_number(real); })
                              : json_array(value.integers);
  return value.count() == 1 ? all.substr(1, all.size() - 2) : all;
}

// Keyed by the names of the parameters' tensor types.
std::string attributes_json(const Node& node) {
  JsonObject json;
  for (const ParamRow& row : schema(node.op).params) {
    if (node.attrs.has(row.attr)) json.add(row.type_name(), value_text(node.attrs.at(row.attr)));
  }
  return json.text();
}

std::string arena_json(const ArenaPlan& arena) {
  return JsonObject()
      .add("bytes", arena.bytes)
      .add_json("allocations", json_array(arena.allocations,
                                          [](const ArenaPlan::Allocation& allocation) {
                                            return JsonObject()
                                                .add("name", allocation.name)
                                                .add("offset", allocation.offset)
                                                .add("bytes", allocation.bytes)
                                                .add("first", allocation.first)
                                                .add("last", allocation.last)
                                                .text();
                                          }))
      .text();
}

std::string choice_json(const KernelChoice& choice) {
  const auto declined_json = [](const DeclinedKernel& declined) {
    return JsonObject().add("name", declined.name).add("why", declined.why).text();
  };
  return JsonObject()
      .add("name", choice.name)
      .add_json("declined", json_array(choice.declined, declined_json))
      .text();
}

std::string pass_json(const PassChoice& pass) {
  return JsonObject().add("name", pass.name).add("why_not", pass.why_not).text();
}

std::string partition_json(const CompiledModel& model, const CompiledModel::Partition& partition,
                           const std::vector<PassChoice>& passes) {
  const auto operation = [&](NodeId node) { return std::to_string(model.lowered->nodes[node].position); };
  return JsonObject()
      .add("device", partition.device->info().name)
      .add_json("operations", json_array(partition.nodes, operation))
      .add_json("inputs", tensors_json(*model.lowered, partition.inputs))
      .add_json("outputs", tensors_json(*model.lowered, partition.outputs))
      .add_json("arena", arena_json(partition.model->arena()))
      .add_json("passes", json_array(passes, pass_json))
      .text();
}

// The partitions that contain part of each operation; none if it was folded.
std::map<uint32_t, std::vector<int64_t>> partitions_of_operations(const CompiledModel& model) {
  std::map<uint32_t, std::vector<int64_t>> operation_partitions;
  for (size_t i = 0; i < model.partitions.size(); ++i) {
    for (const NodeId node : model.partitions[i].nodes) {
      std::vector<int64_t>& known = operation_partitions[model.lowered->nodes[node].position];
      if (known.empty() || known.back() != static_cast<int64_t>(i)) known.push_back(static_cast<int64_t>(i));
    }
  }
  return operation_partitions;
}

}  // namespace

std::string CompiledModel::placement_json() const {
  auto operation_partitions = partitions_of_operations(*this);
  const std::vector<KernelReport> reports = kernel_reports(*this);
  auto kernels = kernels_of_operations(reports);
  const auto node_json = [&](const Node& node) {
    const PlacedNode& placed = placement[node.position];
    const OperationKernels& own = kernels[node.position];
    return JsonObject()
        .add("operation", node.position)
        .add("operator", name(node.op))
        .add("device", placed.device)
        .add("reason", placed.reason)
        .add_json("partitions", json_array(operation_partitions[node.position]))
        .add_json("kernels", json_array(own.kernels, choice_json))
        .add_json("fused",
                  json_array(own.fused, [](uint32_t operation) { return std::to_string(operation); }))
        .add_json("inputs", tensors_json(*graph, node.inputs))
        .add_json("outputs", tensors_json(*graph, node.outputs))
        .add_json("attributes", attributes_json(node))
        .text();
  };
  auto report = reports.begin();  // one per partition, in order
  const auto next_json = [&](const Partition& partition) {
    return partition_json(*this, partition, (report++)->passes);
  };
  return JsonObject()
      .add("device", device->info().name)
      .add("choice", choice)
      .add_json("inputs", tensors_json(*graph, graph->inputs))
      .add_json("outputs", tensors_json(*graph, graph->outputs))
      .add_json("nodes", json_array(graph->nodes, node_json))
      .add_json("passes", json_array(passes, pass_json))
      .add_json("partitions", json_array(partitions, next_json))
      .text();
}

}  // namespace nnrt
