#include "tools/import/quantizer/quantization_plan.h"

#include "core/base/text.h"

#include <algorithm>

namespace nnrt::import {
namespace {

using Sources = std::unordered_map<std::string, std::string>;

// Maps each quantized value to the value whose range it uses: operands and results of computing nodes,
// propagated backward and forward through data movement.
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

// Drops computing nodes whose inputs no other node produces quantized.
std::vector<QuantizableNode> joined(const std::vector<QuantizableNode>& candidates) {
  std::unordered_set<std::string> given;
  std::vector<QuantizableNode> nodes;
  for (const QuantizableNode& node : candidates) {
    const bool joins =
        std::ranges::all_of(node.sources, [&](const std::string& value) { return given.contains(value); });
    if (node.kind == NodeKind::computed && !joins) continue;
    if (node.kind == NodeKind::weighted || joins) given.insert(node.result);
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(const std::string&)>& has_range) {
  for (;;) {
    candidates = joined(candidates);
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

QuantizationPlan plan_quantization(const std::vector<QuantizableNode>& candidates) {
  return plan_quantization(candidates, [](const std::string&) { return true; });
}

// From last to first, because one such operator may feed another.
void share_codings(QuantizationPlan& plan, const std::unordered_map<std::string, size_t>& reads,
                   const std::function<bool(int position)>& has_one_scale,
                   const std::function<bool(const std::string& value)>& has_fixed_coding) {
  for (auto node = plan.nodes.rbegin(); node != plan.nodes.rend(); ++node) {
    if (!has_one_scale(node->position)) continue;
    for (const std::string& operand : node->operands) {
      std::string& source = plan.sources.at(operand);
      const auto readers = reads.find(operand);
      const bool is_read_once = readers != reads.end() && readers->second == 1;
      if (source == operand && is_read_once && !has_fixed_coding(operand))
        source = plan.sources.at(node->result);
    }
  }
}

Status remove_float_nodes(const std::vector<std::string>& names, int count,
                          const std::function<bool(int position, const std::string& name)>& is_named,
                          std::vector<QuantizableNode>& candidates) {
  for (const std::string& name : names) {
    const auto has_name = [&](int at) { return is_named(at, name); };
    int position = 0;
    while (position < count && !has_name(position)) ++position;
    if (position == count) return invalid("The model has no node or operator named (", name, ").");
    std::erase_if(candidates, [&](const QuantizableNode& node) {
      return has_name(node.position) || (node.activation >= 0 && has_name(node.activation));
    });
  }
  return {};
}

std::vector<int> float_positions(const QuantizationPlan& plan, int count) {
  std::unordered_set<int> quantized;
  for (const QuantizableNode& node : plan.nodes) quantized.insert({node.position, node.activation});
  std::vector<int> positions;
  for (int position = 0; position < count; ++position) {
    if (!quantized.contains(position)) positions.push_back(position);
  }
  return positions;
}

std::vector<std::string> values_of(const QuantizationPlan& plan) {
  std::vector<std::string> values;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& value) {
    const auto found = plan.sources.find(value);
    if (found != plan.sources.end() && seen.insert(found->second).second) values.push_back(found->second);
  };
  for (const QuantizableNode& node : plan.nodes) {
    std::ranges::for_each(node.operands, add);
    add(node.result);
  }
  return values;
}

}  // namespace nnrt::import
