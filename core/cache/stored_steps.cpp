#include "core/cache/stored_steps.h"

#include "core/cache/header.h"
#include "core/fallback.h"
#include "core/log.h"
#include "core/text.h"
#include "core/trace.h"

namespace nnrt {
namespace {

constexpr size_t kLeastStepBytes = 25;

StoredStep read_step(ByteReader& reader, const SharedBytes& body) {
  StoredStep step;
  step.device = reader.get<uint8_t>();
  step.nodes = reader.list<NodeId>();
  step.key = reader.text();
  const auto bytes = reader.get<uint64_t>();
  reader.align(made_alignment(bytes));
  step.made = body.part(reader.bytes(bytes));
  return step;
}

Status check_order(const std::vector<StoredStep>& steps, const Graph& graph) {
  std::vector<bool> is_there(graph.tensors.size(), false), has_run(graph.nodes.size(), false);
  for (TensorId id = 0; id < graph.tensors.size(); ++id) is_there[id] = graph.tensors[id].is_constant();
  for (const TensorId id : graph.inputs) is_there[id] = true;
  size_t count = 0;
  for (const StoredStep& step : steps) {
    for (const NodeId node : step.nodes) {
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
  return damaged("Of ", graph.nodes.size(), " operations ", count, " are placed.");
}

Result<std::unique_ptr<PreparedModel>> restore_or_prepare(const StoredStep& stored, const GraphPtr& graph,
                                                          Device& device, const CompileOptions& options,
                                                          bool& renewed) {
  const std::string& name = device.info().name;
  const bool has_key = device.cache_key() == stored.key;
  if (has_key && !stored.made->empty()) {
    const trace::Span span("compile", [&] {
      return trace::Event{"restore", JsonObject().add("device", name).add("nodes", graph->nodes.size())};
    });
    auto model = device.restore(graph, options, stored.made);
    if (model.ok()) return model;
    log(LogLevel::warning, cat("The part of the cache for ", name, " is made anew: ", model.error().message));
  } else if (!has_key) {
    log(LogLevel::info,
        cat("The part of the cache for ", name, " is made anew: its driver was another one."));
  }
  renewed = renewed || !has_key || !stored.made->empty();
  auto model = device.prepare(graph, options);
  if (model.ok()) return model;
  return std::move(model).error().during(cat("preparing ", graph->nodes.size(), " operations on ", name));
}

}  // namespace

Result<std::vector<StoredStep>> read_steps(ByteReader& reader, const SharedBytes& body, const Graph& graph,
                                           size_t device_count) {
  std::vector<StoredStep> steps;
  for (size_t left = reader.count(kLeastStepBytes); left > 0 && !reader.bad(); --left) {
    steps.push_back(read_step(reader, body));
    if (steps.back().device >= device_count || steps.back().nodes.empty())
      return damaged("Partition (", steps.size() - 1, ") cannot be read.");
  }
  reader.align(kCacheAlignment);
  if (reader.bad()) return damaged("The partitions are cut off.");
  NNRT_TRY(check_order(steps, graph));
  return steps;
}

Result<CompiledModel::Step> make_ready(const StoredStep& stored, const Graph& graph, Device& device,
                                       Device* fallback, const CompileOptions& options, bool& renewed) {
  const auto subgraph = std::make_shared<const Graph>(graph.subgraph(stored.nodes));
  CompiledModel::Step step{nullptr, &device, stored.nodes, subgraph->inputs, subgraph->outputs};
  NNRT_ASSIGN(auto model, restore_or_prepare(stored, subgraph, device, options, renewed));
  if (fallback == &device) fallback = nullptr;
  step.model = with_fallback(std::move(model), device, subgraph, fallback, options);
  return step;
}

}  // namespace nnrt
