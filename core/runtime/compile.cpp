#include "core/runtime/compile.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/device/cache_traits.h"
#include "core/device/fallback.h"
#include "core/device/trace_node.h"
#include "core/graph/subgraph.h"
#include "core/passes/check_rewrite.h"
#include "core/passes/constant_passes.h"
#include "core/passes/drop_weights.h"
#include "core/passes/normalize.h"
#include "core/placement/auto_device.h"
#include "core/platform/compat.h"
#include "core/platform/log.h"
#include "core/platform/trace.h"
#include "core/runtime/evaluate_node.h"

#include <algorithm>

namespace nnrt {
namespace {

// An invalid node fails the build unless a plugin claims it. Unused nodes are not offered to devices, and
// fail the build too.
Status check_diagnoses(const Graph& graph, const Graph& lowered, const std::vector<Assignment>& assignments) {
  std::vector<bool> claimed(graph.nodes.size(), false);
  for (NodeId node = 0; node < assignments.size(); ++node) {
    if (assignments[node].device != nullptr) claimed[lowered.nodes[node].position] = true;
  }
  for (const Node& node : graph.nodes) {
    if (node.diagnosis && !claimed[node.position]) return *node.diagnosis;
  }
  return {};
}

Status check_all_placed(const Graph& graph, const std::vector<Assignment>& assignments) {
  std::string message;
  for (NodeId node = 0; node < graph.nodes.size(); ++node) {
    const Assignment& assignment = assignments[node];
    if (assignment.device != nullptr) continue;
    message += cat(message.empty() ? "" : " ", "No device runs ", name(graph.nodes[node].op), " (operation ",
                   graph.nodes[node].position, "): ", *assignment.refusal);
    if (assignment.fallback_refusal) message += " " + *assignment.fallback_refusal;
    if (const auto& diagnosis = graph.nodes[node].diagnosis) message += " " + diagnosis->message;
  }
  if (!message.empty()) return Error{Code::failed, std::move(message)};
  return {};
}

// Where the client's operations were placed. Normalized nodes carry the position of their original node; an
// operation with any part elsewhere counts as running there. The CPU has computed those without a node.
std::vector<PlacedNode> placement_of(const Graph& original, const Graph& lowered,
                                     const std::vector<Assignment>& assignments, const Device& chosen) {
  std::vector<PlacedNode> placement(original.nodes.size());
  const Device* const folding = cpu_of(chosen.members());
  const Device& by_default = folding == nullptr ? chosen : *folding;
  for (const Node& node : original.nodes) {
    placement[node.position] = {node.position, node.op, by_default.info().name, ""};
  }
  for (NodeId node = 0; node < lowered.nodes.size(); ++node) {
    const Assignment& assignment = assignments[node];
    if (!assignment.refusal) continue;
    PlacedNode& placed = placement[lowered.nodes[node].position];
    placed.device = assignment.device->info().name;
    placed.reason = *assignment.refusal;
  }
  return placement;
}

// The CPU device used in the compilation; null if there is none.
Device* cpu_among(Device& chosen, Device* fallback) {
  if (fallback != nullptr) return fallback;
  if (!chosen.members().empty()) return cpu_of(chosen.members());
  const Result<DeviceType> type = chosen.type();
  return type.ok() && type.value() == DeviceType::cpu ? &chosen : nullptr;
}

// Plugins get the client's graph. The CPU only evaluates nodes of normalized graphs.
Result<GraphPtr> folded(const GraphPtr& graph, Device& chosen, Device* fallback,
                        std::vector<PassChoice>& passes) {
  Device* const cpu = chosen.is_plugin() ? nullptr : cpu_among(chosen, fallback);
  if (cpu == nullptr) return run_constant_passes(graph, {.is_for_plugin = chosen.is_plugin()}, passes);
  const Evaluate on_cpu = [&](const GraphPtr& node) { return evaluate(*cpu, node); };
  return run_constant_passes(graph, {.evaluate = &on_cpu, .of_cpu = cpu->kernel_switch()}, passes);
}

Result<GraphPtr> released(const Graph& graph) {
  GraphPtr left = drop_weights(graph);
  NNRT_TRY(check_rewrite("the release of data", graph, *left, {.data = true}));
  return left;
}

// If the device is out of memory or exceeds its limits, the partition goes to the fallback, if there is one.
Result<CompiledModel::Partition> prepare(Subgraph subgraph, const Partition& part,
                                         std::vector<Assignment>& assignments, Device* fallback,
                                         const CompileOptions& options, bool& short_of_memory) {
  Device& device = *assignments[part.nodes.front()].device;
  if (fallback == &device) fallback = nullptr;
  const trace::Span span("compile", [&] {
    return trace::Event{"prepare",
                        JsonObject().add("device", device.info().name).add("nodes", part.nodes.size())};
  });
  NNRT_TRY(check_rewrite("partition", *subgraph.graph, *subgraph.graph));
  CompiledModel::Partition prepared_partition{nullptr, &device, part.nodes, subgraph.inputs,
                                              subgraph.outputs};
  const GraphPtr of_fallback = fallback == nullptr ? nullptr : subgraph.graph;
  auto model = device.prepare(std::move(subgraph.graph), options);
  if (model.ok()) {
    prepared_partition.model =
        with_fallback(std::move(model).value(), device, of_fallback, fallback, options);
    return prepared_partition;
  }
  Error error = std::move(model).error().during(
      cat("preparing ", counted(part.nodes.size(), "operation"), " on ", device.info().name));
  if (!may_work_elsewhere(error) || fallback == nullptr) return error;
  if (error.code == Code::memory) short_of_memory = true;
  log_fallback(error, *fallback);
  for (const NodeId node : part.nodes) {
    assignments[node].device = fallback;
    assignments[node].refusal = error.message;
  }
  subgraph.graph = of_fallback;
  return prepare(std::move(subgraph), part, assignments, fallback, options, short_of_memory);
}

void trace_refusals(const CompiledModel& model) {
  if (!trace::on() || !model.choice.empty()) return;
  for (const PlacedNode& node : model.placement) {
    if (node.reason.empty()) continue;
    JsonObject args;
    args.add("operator", name(node.op)).add("operation", node.position);
    args.add("refused_by", model.device->info().name).add("device", node.device).add("reason", node.reason);
    trace::instant("refusal", {std::string(short_name(node.op)), std::move(args)});
  }
}

void log_summary(const CompiledModel& model) {
  if (!log_enabled(LogLevel::info)) return;
  size_t elsewhere = 0;
  for (const PlacedNode& node : model.placement) elsewhere += node.reason.empty() ? 0 : 1;
  if (!model.choice.empty()) log(LogLevel::info, model.choice);
  log(LogLevel::info, cat(model.placement.size() - elsewhere, " of ",
                          counted(model.placement.size(), "operation runs", "operations run"), " on ",
                          model.device->info().name, ", ", elsewhere, " elsewhere, in ",
                          counted(model.partitions.size(), "partition"), "."));
  for (const PlacedNode& node : model.placement) {
    if (!node.reason.empty()) {
      log(LogLevel::debug, cat("Operation ", node.position, " (", name(node.op), ") runs on ", node.device,
                               ": ", node.reason));
    }
  }
}

}  // namespace

Result<GraphPtr> normalized(const GraphPtr& graph) {
  GraphPtr lowered = normalize(graph);
  NNRT_TRY(check_rewrite("normalize", *graph, *lowered, {.layout = true}));
  return lowered;
}

Result<std::shared_ptr<const CompiledModel>> CompiledModel::for_runs() const {
  auto model = std::make_shared<CompiledModel>(*this);
  NNRT_ASSIGN(model->lowered, released(*lowered));
  model->graph = model->lowered;
  if (graph != lowered) {
    NNRT_ASSIGN(model->graph, released(*graph));
  }
  return std::shared_ptr<const CompiledModel>(std::move(model));
}

bool CompiledModel::cuts_results() const { return device->is_plugin() && compat::cuts_results_of_drivers(); }

std::vector<ScheduledPartition> CompiledModel::scheduled_partitions() const {
  std::vector<ScheduledPartition> parts;
  for (const Partition& prepared_partition : partitions)
    parts.push_back({prepared_partition.device, prepared_partition.nodes});
  return parts;
}

namespace {

// Decides which device runs each node.
Result<Choice> assign_devices(const Graph& graph, Device& chosen, Device* fallback,
                              const CompileOptions& options) {
  const trace::Span span("compile", "assign");
  if (!chosen.members().empty()) return choose(graph, chosen.members(), options);
  NNRT_ASSIGN(std::vector<Assignment> assignments, assign(graph, chosen, fallback, options));
  return Choice{std::move(assignments), ""};
}

// The owner of each node. `last`, which runs what the others refuse and provides the data, gets the last
// index.
std::vector<size_t> owners_of(const std::vector<Assignment>& assignments, const Device* last) {
  std::vector<const Device*> devices;
  for (const Assignment& assignment : assignments) {
    const bool is_new = std::ranges::find(devices, assignment.device) == devices.end();
    if (is_new && assignment.device != last) devices.push_back(assignment.device);
  }
  devices.push_back(last);
  std::vector<size_t> owners;
  owners.reserve(assignments.size());
  for (const Assignment& assignment : assignments)
    owners.push_back(size_t(std::ranges::find(devices, assignment.device) - devices.begin()));
  return owners;
}

// The partitions, in the one of two orders in which devices are expected to wait less for each other.
std::vector<Partition> cut(const Graph& graph, const std::vector<Assignment>& assignments,
                           const Device* last) {
  const trace::Span span("compile", "partition");
  const std::vector<size_t> owners = owners_of(assignments, last);
  const auto expected = [&](const std::vector<Partition>& partitions) {
    std::vector<ScheduledPartition> parts;
    parts.reserve(partitions.size());
    for (const Partition& part : partitions)
      parts.push_back({assignments[part.nodes.front()].device, part.nodes});
    return expected_times(graph, parts).overlapped;
  };
  constexpr double kGain = 0.9;  // for a smaller gain, fewer borders are better
  std::vector<Partition> partitions = partition(graph, owners);
  if (partitions.size() < 2) return partitions;
  std::vector<Partition> others = partition(graph, owners, FirstOwner::first_owner);
  return expected(others) < kGain * expected(partitions) ? others : partitions;
}

std::vector<Subgraph> subgraphs_of(const Graph& graph, std::span<const Partition> partitions) {
  Subgraphs all(graph);
  std::vector<Subgraph> subgraphs;
  subgraphs.reserve(partitions.size());
  for (const Partition& part : partitions) subgraphs.push_back(all.cut(part.nodes));
  return subgraphs;
}

}  // namespace

Result<std::shared_ptr<const CompiledModel>> compile(GraphPtr graph, Device& chosen, Device* fallback,
                                                     const CompileOptions& options, ModelData data) {
  if (dynamic_cast<const StoredOrderReader*>(&chosen) == nullptr) NNRT_TRY(ensure_read(*graph));
  // Only a plugin may accept invalid nodes.
  if (!chosen.is_plugin()) NNRT_TRY(check_diagnoses(*graph, *graph, {}));
  auto model = std::make_shared<CompiledModel>();
  {
    const trace::Span span("compile", "normalize");
    NNRT_ASSIGN(const GraphPtr lowered, normalized(graph));
    NNRT_ASSIGN(model->lowered, folded(lowered, chosen, fallback, model->passes));
  }
  if (data == ModelData::released) {
    NNRT_ASSIGN(graph, released(*graph));
  }
  model->graph = graph;
  model->device = &chosen;
  model->float16 = options.float16;
  model->priority = options.priority;
  NNRT_ASSIGN(Choice placed, assign_devices(*model->lowered, chosen, fallback, options));
  std::vector<Assignment>& assignments = placed.assignments;
  // If a plugin is the only device, its refusal is reported; only built-in devices check validity.
  if (chosen.is_plugin() && fallback == nullptr) NNRT_TRY(check_all_placed(*model->lowered, assignments));
  NNRT_TRY(check_diagnoses(*graph, *model->lowered, assignments));
  NNRT_TRY(check_all_placed(*model->lowered, assignments));
  model->choice = std::move(placed.summary);

  const Device* const last = chosen.members().empty() ? fallback : cpu_of(chosen.members());
  const std::vector<Partition> partitions = cut(*model->lowered, assignments, last);
  std::vector<Subgraph> subgraphs = subgraphs_of(*model->lowered, partitions);
  if (data == ModelData::released) {
    NNRT_ASSIGN(model->lowered, released(*model->lowered));
  }
  for (size_t i = 0; i < partitions.size(); ++i) {
    NNRT_ASSIGN(CompiledModel::Partition prepared_partition,
                prepare(std::move(subgraphs[i]), partitions[i], assignments, fallback, options,
                        model->short_of_memory));
    model->partitions.push_back(std::move(prepared_partition));
  }
  if (model->partitions.size() > 1)
    model->overlaps = should_overlap(expected_times(*model->lowered, model->scheduled_partitions()));
  model->placement = placement_of(*graph, *model->lowered, assignments, chosen);
  trace_refusals(*model);
  log_summary(*model);
  return std::shared_ptr<const CompiledModel>(std::move(model));
}

}  // namespace nnrt
