#include "api/model/client_graph.h"

#include "backends/devices.h"
#include "core/base/text.h"
#include "core/runtime/evaluate_node.h"
#include "mindspore/lower/lower_graph.h"

namespace nnrt {

Status build_from(SharedModel& model, const mindspore::SourceGraph& source,
                  std::shared_ptr<const void> owner) {
  Device* const cpu = device_registry().cpu();
  EvaluateGraph on_cpu;
  if (cpu != nullptr) on_cpu = [cpu](const GraphPtr& graph) { return evaluate(*cpu, graph); };
  NNRT_ASSIGN(mindspore::LoweredGraph lowered, mindspore::lower_graph(source, on_cpu));
  const std::lock_guard lock(model.mutex);
  model.builder.adopt(lowered.graph ? std::move(lowered.graph) : std::make_shared<const Graph>());
  model.client = ClientGraph{std::move(owner), std::move(lowered.origins), std::move(lowered.refusals)};
  return {};
}

std::vector<bool> supported_nodes(const ClientGraph& client, const std::vector<bool>& operations) {
  std::vector<bool> supported;
  supported.reserve(client.refusals.size());
  for (const auto& refusal : client.refusals) supported.push_back(!refusal);
  for (size_t i = 0; i < client.origins.size(); ++i) {
    const bool is_supported = i < operations.size() && operations[i];
    if (!is_supported && client.origins[i] < supported.size()) supported[client.origins[i]] = false;
  }
  return supported;
}

}  // namespace nnrt
