#include "core/cache/stored_partitions.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/cache/cache_header.h"
#include "core/cache/deferred_constants.h"
#include "core/device/cache_traits.h"
#include "core/device/fallback.h"
#include "core/platform/log.h"
#include "core/platform/trace.h"

namespace nnrt {
namespace {

constexpr size_t kMinPartitionBytes = 17;

StoredPartition read_partition(ByteReader& reader) {
  StoredPartition partition;
  partition.device = reader.get<uint8_t>();
  partition.nodes = reader.list<NodeId>();
  partition.key = reader.text();
  return partition;
}

Status check_order(const std::vector<StoredPartition>& partitions, const Graph& graph) {
  std::vector<bool> is_there(graph.tensors.size(), false), has_run(graph.nodes.size(), false);
  for (TensorId id = 0; id < graph.tensors.size(); ++id) is_there[id] = graph.tensors[id].is_constant();
  for (const TensorId id : graph.inputs) is_there[id] = true;
  size_t count = 0;
  for (const StoredPartition& partition : partitions) {
    for (const NodeId node : partition.nodes) {
      if (node >= graph.nodes.size() || has_run[node])
        return damaged("Operation (", node, ") cannot be placed.");
      for (const TensorId id : graph.nodes[node].inputs) {
        if (!is_there[id]) return damaged("Operation (", node, ") reads tensor ", id, " too early.");
      }
      for (const TensorId id : graph.nodes[node].outputs) is_there[id] = true;
      has_run[node] = true;
      ++count;
    }
  }
  if (count == graph.nodes.size()) return {};
  return damaged("Only ", count, " of ",
                 counted(graph.nodes.size(), "operation is placed", "operations are placed"), ".");
}

Result<std::unique_ptr<PreparedModel>> restore_or_prepare(const StoredPartition& stored,
                                                          const GraphPtr& graph, Device& device,
                                                          const CompileOptions& options, bool& renewed) {
  const std::string& name = device.info().name;
  const bool has_key = device.cache_key() == stored.key;
  const bool packs_again = !has_key || stored.made->empty();
  if (packs_again) {
    NNRT_TRY(ensure_read(*graph));
  } else if (dynamic_cast<const DeferredReader*>(&device) == nullptr) {
    NNRT_TRY(ensure_read(*graph));
    NNRT_TRY(ensure_read(stored.made));
  }
  if (has_key && !stored.made->empty()) {
    const trace::Span span("compile", [&] {
      return trace::Event{"restore", JsonObject().add("device", name).add("nodes", graph->nodes.size())};
    });
    auto model = device.restore(graph, options, stored.made);
    if (model.ok()) return model;
    NNRT_TRY(ensure_read(stored.made));  // returns the error if they cannot be read
    log(LogLevel::warning, cat("The part of the cache for ", name, " is rebuilt: ", model.error().message));
  } else if (!has_key) {
    log(LogLevel::info, cat("The part of the cache for ", name, " is rebuilt: its driver has changed."));
  }
  renewed = renewed || !has_key || !stored.made->empty();
  NNRT_TRY(ensure_read(*graph));
  auto model = device.prepare(graph, options);
  if (model.ok()) return model;
  return std::move(model).error().during(
      cat("preparing ", counted(graph->nodes.size(), "operation"), " on ", name));
}

}  // namespace

Result<std::vector<StoredPartition>> read_partitions(ByteReader& reader, std::span<const SharedBytes> made,
                                                     const Graph& graph, size_t device_count) {
  std::vector<StoredPartition> partitions;
  const size_t count = reader.count(kMinPartitionBytes);
  if (count != made.size() && !reader.bad())
    return damaged("It has ", count, " partitions, but device data for ", made.size(), ".");
  while (partitions.size() < count && !reader.bad()) {
    partitions.push_back(read_partition(reader));
    partitions.back().made = made[partitions.size() - 1];
    if (partitions.back().device >= device_count || partitions.back().nodes.empty())
      return damaged("Partition (", partitions.size() - 1, ") cannot be read.");
  }
  if (reader.bad()) return damaged("The partitions are cut off.");
  NNRT_TRY(check_order(partitions, graph));
  return partitions;
}

Result<CompiledModel::Partition> make_ready(const StoredPartition& stored, Subgraphs& graph, Device& device,
                                            Device* fallback, const CompileOptions& options, bool& renewed) {
  const Subgraph subgraph = graph.cut(stored.nodes);
  CompiledModel::Partition partition{nullptr, &device, stored.nodes, subgraph.inputs, subgraph.outputs};
  NNRT_ASSIGN(auto model, restore_or_prepare(stored, subgraph.graph, device, options, renewed));
  if (fallback == &device) fallback = nullptr;
  partition.model = with_fallback(std::move(model), device, subgraph.graph, fallback, options);
  return partition;
}

}  // namespace nnrt
