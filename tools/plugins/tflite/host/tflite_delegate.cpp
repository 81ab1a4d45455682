#include "tools/plugins/tflite/host/tflite_delegate.h"

#include "core/platform/log.h"
#include "tools/plugins/base/supported_operations.h"
#include "tools/plugins/tflite/host/guarded.h"
#include "tools/plugins/tflite/host/host_reader.h"
#include "tools/plugins/tflite/host/int_array.h"
#include "tools/plugins/tflite/host/partition_kernel.h"
#include "tools/plugins/tflite/plan_report.h"

#include <algorithm>
#include <cstdio>

namespace nnrt::tflite_plugin {
namespace {

TfLiteStatus prepare_delegate(TfLiteContext* context, TfLiteDelegate* handle) {
  return guarded(context, [&] { return Delegate::of(handle).prepare(context); });
}

// The interpreter's numbers of nodes, by position in the graph.
std::vector<int32_t> numbers_of(const HostGraph& graph, const std::vector<size_t>& nodes) {
  std::vector<int32_t> numbers;
  for (const size_t node : nodes) numbers.push_back(graph.nodes[node].number);
  return numbers;
}

Section section_of(const HostGraph& graph, const TfLiteDelegateParams& params) {
  Section section;
  for (const int32_t number : values_of(*params.nodes_to_replace)) {
    const auto node = std::ranges::find(graph.nodes, number, &HostNode::number);
    section.nodes.push_back(static_cast<size_t>(node - graph.nodes.begin()));
  }
  section.inputs = values_of(*params.input_tensors);
  section.outputs = values_of(*params.output_tensors);
  std::erase_if(section.inputs, [](int32_t id) { return id < 0; });
  std::erase_if(section.outputs, [](int32_t id) { return id < 0; });
  return section;
}

Preview preview_of(TfLiteContext* context, const HostGraph& graph) {
  return [context, &graph](const std::vector<size_t>& nodes) -> Result<std::vector<Section>> {
    NNRT_ASSIGN(const IntArray numbers, make_int_array(numbers_of(graph, nodes)));
    TfLiteDelegateParams* partitions = nullptr;
    int count = 0;
    if (context->PreviewDelegatePartitioning(context, numbers.get(), &partitions, &count) != kTfLiteOk)
      return Error{Code::failed, "The interpreter cannot preview its partitions."};
    std::vector<Section> sections;
    for (int i = 0; i < count; ++i) sections.push_back(section_of(graph, partitions[i]));
    return sections;
  };
}

void publish(const DelegateOptions& options, const std::string& report) {
  if (options.report) {
    std::fputs(report.c_str(), stderr);
  } else {
    log(LogLevel::info, report);
  }
}

}  // namespace

Result<std::unique_ptr<Delegate>> Delegate::create(const DelegateOptions& options) {
  NNRT_ASSIGN(plugins::PluginDevice device, plugins::find_device(options.common.device));
  return std::unique_ptr<Delegate>(new Delegate(options, std::move(device)));
}

Delegate::Delegate(const DelegateOptions& options, plugins::PluginDevice device)
    : options_(options), device_(std::move(device)) {
  exported_.delegate.data_ = this;
  exported_.delegate.Prepare = prepare_delegate;
  exported_.delegate.flags = kTfLiteDelegateFlagsAllowDynamicTensors;
}

Status Delegate::compile(const HostGraph& graph, std::vector<PlannedPartition> planned,
                         std::vector<std::unique_ptr<Partition>>& partitions) const {
  for (PlannedPartition& plan : planned) {
    partitions.push_back(std::make_unique<Partition>(std::move(plan), device_, options_.common));
    Partition& partition = *partitions.back();
    const bool is_open = std::ranges::any_of(
        partition.inputs(), [&](int32_t id) { return graph.tensors[static_cast<size_t>(id)].is_open; });
    if (!is_open) NNRT_TRY(partition.program_for(partition.planned_shapes()));
  }
  return {};
}

Status Delegate::prepare(TfLiteContext* context) {
  if (context->PreviewDelegatePartitioning == nullptr)
    return Error{Code::unsupported, "This version of TensorFlow Lite cannot preview partitions."};
  NNRT_ASSIGN(HostGraph graph, read_host(context));
  PlanOptions options{nullptr, options_.min_nodes};
  if (!plugins::has_fallback(options_.common))
    options.supports = [this](const import::Network& network) {
      return plugins::supported_operations(network, device_, options_.common);
    };
  NNRT_ASSIGN(std::vector<PlannedPartition> planned,
              plan_partitions(graph, preview_of(context, graph), options));
  publish(options_, plan_report(graph, planned.size(), device_.name));
  if (planned.empty()) return {};
  std::vector<std::unique_ptr<Partition>> partitions;
  NNRT_TRY(compile(graph, std::move(planned), partitions));
  for (const auto& partition : partitions)
    partition->set_numbers(numbers_of(graph, partition->section().nodes));
  {
    const std::lock_guard lock(mutex_);
    planned_[context] = std::move(partitions);
  }
  NNRT_ASSIGN(const IntArray nodes, make_int_array(numbers_of(graph, taken_nodes(graph))));
  const TfLiteStatus replaced = replace_nodes(context, *nodes, handle());
  const std::lock_guard lock(mutex_);
  planned_.erase(context);
  if (replaced == kTfLiteOk) return {};
  return Error{Code::failed, "The interpreter cannot replace the nodes."};
}

Result<std::unique_ptr<Partition>> Delegate::take(const TfLiteContext* context, const TfLiteIntArray& nodes) {
  const std::vector<int32_t> numbers = values_of(nodes);
  const std::lock_guard lock(mutex_);
  auto& partitions = planned_[context];
  const auto found =
      std::ranges::find_if(partitions, [&](const auto& it) { return it && it->numbers() == numbers; });
  if (found == partitions.end())
    return Error{Code::failed, "The interpreter formed a partition that differs from its preview."};
  return std::move(*found);
}

std::shared_ptr<TensorMemory> Delegate::memory_of(const TfLiteContext* context) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<TensorMemory>& known = memory_[context];
  std::shared_ptr<TensorMemory> memory = known.lock();
  if (!memory) known = memory = std::make_shared<TensorMemory>();
  return memory;
}

}  // namespace nnrt::tflite_plugin
