#include "tools/import/onnx/quantizer/quantization_plan.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

using Sources = std::unordered_map<std::string, std::string>;

// Values around nodes that compute, and from there through nodes that move elements, against and along their
// direction.
Sources find_sources(const std::vector<QuantizableNode>& nodes) {
  Sources sources;
  const auto add = [&](const std::string& value) { sources.emplace(value, value); };
  for (const QuantizableNode& node : nodes) {
    if (node.kind == NodeKind::moved) continue;
    std::ranges::for_each(node.operands, add);
    add(node.result);
  }
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (node->kind == NodeKind::moved && sources.contains(node->result)) add(node->operands[0]);
  }
  for (const QuantizableNode& node : nodes) {
    if (node.kind != NodeKind::moved) continue;
    const auto operand = sources.find(node.operands[0]);
    if (operand == sources.end()) continue;
    const std::string source = operand->second;
    sources.insert_or_assign(node.result, source);
  }
  return sources;
}

}  // namespace

QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(const std::string&)>& has_range) {
  for (;;) {
    Sources sources = find_sources(candidates);
    const auto is_known = [&](const std::string& value) {
      const auto found = sources.find(value);
      return found == sources.end() || has_range(found->second);
    };
    const size_t removed = std::erase_if(candidates, [&](const QuantizableNode& node) {
      return !is_known(node.result) || !std::ranges::all_of(node.operands, is_known);
    });
    if (removed > 0) continue;
    std::erase_if(candidates, [&](const QuantizableNode& node) { return !sources.contains(node.result); });
    return {std::move(candidates), std::move(sources)};
  }
}

}  // namespace nnrt::import::onnx
