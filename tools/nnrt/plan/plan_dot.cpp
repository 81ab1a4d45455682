#include "core/base/printable.h"
#include "core/base/text.h"
#include "tools/nnrt/plan/plan.h"

#include <algorithm>

namespace nnrt::tool {
namespace {

std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string node_line(const Plan& plan, size_t id, std::vector<std::string>& devices) {
  constexpr std::string_view kColors[] = {"#d9e0fb", "#fae3cb", "#cdeadf", "#eed9ef"};
  const PlanNode& node = plan.nodes[id];
  auto found = std::ranges::find(devices, node.device);
  if (found == devices.end()) found = devices.insert(devices.end(), node.device);
  const auto color = static_cast<size_t>(found - devices.begin()) % std::size(kColors);
  const std::string shape = node.outputs.empty() ? "" : to_string(plan.tensors[node.outputs[0]].shape);
  const std::string layer = plan.layer_of(node);
  const std::string place = node.device + (node.reason.empty() ? "" : ": " + node.reason);
  return cat("  n", id, " [label=", dot_string(cat(node.op, "  ", shape)),
             ", tooltip=", dot_string(layer.empty() ? place : cat(layer, ", ", place)), ", fillcolor=\"",
             kColors[color], "\"];\n");
}

}  // namespace

std::string to_dot(const Plan& plan) {
  std::string text = cat("digraph ", dot_string(plan.model),
                         " {\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n");
  std::vector<std::string> devices;
  for (size_t id = 0; id < plan.nodes.size(); ++id) text += node_line(plan, id, devices);
  for (const PlanEdge& edge : plan.edges()) {
    const bool border = plan.nodes[edge.from].device != plan.nodes[edge.to].device;
    text += cat("  n", edge.from, " -> n", edge.to, border ? " [style=dashed]" : "", ";\n");
  }
  return text + "}\n";
}

}  // namespace nnrt::tool
