#include "core/device/device.h"

namespace nnrt {

bool is_own_cpu(const Device& device) {
  if (device.is_plugin()) return false;
  const auto type = device.type();
  return type.ok() && type.value() == DeviceType::cpu;
}

std::vector<Refusal> refusals_of(const Device& device, const Graph& graph, const CompileOptions& options) {
  auto answer = device.supports(graph, options);
  if (!answer.ok()) return std::vector<Refusal>(graph.nodes.size(), answer.error().message);
  const Refusal unanswered =
      device.is_plugin() ? Refusal() : Refusal("The device did not answer for this operation.");
  answer.value().resize(graph.nodes.size(), unanswered);
  return std::move(answer).value();
}

}  // namespace nnrt
