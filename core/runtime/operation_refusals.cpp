#include "core/runtime/operation_refusals.h"

#include "core/device/cache_traits.h"
#include "core/runtime/compile.h"

#include <algorithm>

namespace nnrt {

Result<OperationRefusals> OperationRefusals::of(GraphPtr graph) {
  OperationRefusals refusals;
  NNRT_ASSIGN(refusals.lowered_, normalized(graph));
  refusals.is_lowered_.resize(graph->nodes.size(), false);
  for (const Node& node : refusals.lowered_->nodes) refusals.is_lowered_[node.position] = true;
  refusals.graph_ = std::move(graph);
  return refusals;
}

Result<std::vector<Refusal>> OperationRefusals::by(const Device& device) const {
  if (dynamic_cast<const StoredOrderReader*>(&device) == nullptr) NNRT_TRY(ensure_read(*graph_));
  const size_t count = graph_->nodes.size();
  std::vector<Refusal> found(count);
  const auto query = [&](const Graph& queried, const auto& concerns) -> Result<size_t> {
    NNRT_ASSIGN(std::vector<Refusal> refusals, device.supports(queried, {}));
    const size_t answers = refusals.size();
    refusals.resize(queried.nodes.size(), device.is_plugin() ? Refusal() : "The device did not answer.");
    for (NodeId node = 0; node < queried.nodes.size(); ++node) {
      const uint32_t position = queried.nodes[node].position;
      if (concerns(position) && refusals[node] && !found[position]) found[position] = refusals[node];
    }
    return answers;
  };
  NNRT_ASSIGN(const size_t answers, query(*lowered_, [](uint32_t) { return true; }));
  if (std::ranges::find(is_lowered_, false) != is_lowered_.end()) {
    // Unused nodes are not compiled, so the client's originals are checked.
    NNRT_TRY(query(*graph_, [&](uint32_t position) { return !is_lowered_[position]; }));
  } else if (device.is_plugin() && lowered_->nodes.size() == count && answers < count) {
    found.resize(answers);
  }
  return found;
}

Result<std::vector<bool>> supported_operations(const GraphPtr& graph, const Device& device) {
  NNRT_ASSIGN(const OperationRefusals by_device, OperationRefusals::of(graph));
  NNRT_ASSIGN(const std::vector<Refusal> refusals, by_device.by(device));
  std::vector<bool> supported;
  supported.reserve(refusals.size());
  for (const Refusal& refusal : refusals) supported.push_back(!refusal);
  return supported;
}

}  // namespace nnrt
