#include "tools/import/quantizer/quantization_plan.h"

#include "core/base/text.h"

#include <algorithm>
#include <cmath>

namespace nnrt::import {
namespace {

class Finder {
 public:
  explicit Finder(const QuantizableModel& model) : model_(model) {}

  std::optional<QuantizableNode> find(size_t position) const {
    const FloatNode& node = model_.nodes[position];
    const List<TensorId>&inputs = model_.operation(position).inputs,
          &outputs = model_.operation(position).outputs;
    if (!node.form || outputs.size() != 1 || !model_.is_float(outputs[0])) return {};
    const Int8Form& form = *node.form;
    if (form.gives_scores && model_.is_output(outputs[0])) return {};
    if (form.joins_streams && model_.normalized.contains(outputs[0])) return {};
    if (form.kind == NodeKind::weighted && !has_weights(node, inputs)) return {};
    QuantizableNode found;
    found.position = position;
    found.kind = form.kind;
    found.input_count = form.operands == 0 ? inputs.size() : form.operands;
    found.result = outputs[0];
    if (!add_operands(node, inputs, found)) return {};
    return found;
  }

 private:
  // Excludes masks: their magnitudes would leave one code for all other values.
  bool has_range(const FloatConstant& constant) const {
    return !constant.values.empty() && std::ranges::all_of(constant.values, [](float value) {
      return std::abs(value) < kLargestMagnitude;
    });
  }

  bool has_weights(const FloatNode& node, const List<TensorId>& inputs) const {
    const auto weights = model_.floats(inputs[kWeights]);
    if (!weights || !has_range(*weights)) return false;
    if (inputs.size() <= kBias) return true;
    const auto bias = model_.floats(inputs[kBias]);
    if (!bias || !has_range(*bias)) return false;
    const auto count = static_cast<int64_t>(bias->values.size());
    return count == node.channels && !bias->shape.empty() && bias->shape.back() == count;
  }

  // Returns false if one of the operands cannot be quantized, or if none would be quantized before.
  bool add_operands(const FloatNode& node, const List<TensorId>& inputs, QuantizableNode& found) const {
    if (found.input_count > inputs.size()) return false;
    for (size_t i = 0; i < found.input_count; ++i) {
      const TensorId operand = inputs[i];
      if (!model_.is_float(operand)) return false;
      if (model_.is_constant(operand)) {
        const auto constant = model_.floats(operand);
        if (!constant || !has_range(*constant)) return false;
        continue;
      }
      found.operands.push_back(operand);
      if (!node.takes_gates || !model_.gates.contains(operand)) found.sources.push_back(operand);
    }
    return !found.sources.empty();
  }

  const QuantizableModel& model_;
};

using Sources = std::map<TensorId, TensorId>;

// Maps each quantized value to the value whose range it uses: operands and results of computing nodes,
// propagated backward and forward through data movement.
Sources find_sources(const std::vector<QuantizableNode>& nodes) {
  Sources sources;
  const auto add = [&](TensorId value) { sources.emplace(value, value); };
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
    sources.insert_or_assign(node.result, operand->second);
  }
  return sources;
}

// Drops computing nodes whose inputs no other node produces quantized.
std::vector<QuantizableNode> joined(const std::vector<QuantizableNode>& candidates) {
  std::unordered_set<TensorId> given;
  std::vector<QuantizableNode> nodes;
  for (const QuantizableNode& node : candidates) {
    const bool joins =
        std::ranges::all_of(node.sources, [&](TensorId value) { return given.contains(value); });
    if (node.kind == NodeKind::computed && !joins) continue;
    if (node.kind == NodeKind::weighted || joins) given.insert(node.result);
    nodes.push_back(node);
  }
  return nodes;
}

}  // namespace

std::vector<QuantizableNode> find_candidates(const QuantizableModel& model) {
  const Finder finder(model);
  std::vector<QuantizableNode> found;
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    if (auto node = finder.find(i)) found.push_back(*std::move(node));
  }
  return found;
}

QuantizationPlan plan_quantization(std::vector<QuantizableNode> candidates,
                                   const std::function<bool(TensorId)>& has_range) {
  for (;;) {
    candidates = joined(candidates);
    Sources sources = find_sources(candidates);
    const auto is_known = [&](TensorId value) {
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
  return plan_quantization(candidates, [](TensorId) { return true; });
}

// From last to first, because one such operator may feed another.
void share_codings(QuantizationPlan& plan, const QuantizableModel& model,
                   const std::function<bool(TensorId value)>& has_fixed_coding) {
  const std::vector<size_t> reads = model.reads();
  for (auto node = plan.nodes.rbegin(); node != plan.nodes.rend(); ++node) {
    if (!model.nodes[node->position].form->has_one_scale) continue;
    for (const TensorId operand : node->operands) {
      TensorId& source = plan.sources.at(operand);
      if (source == operand && reads[operand] == 1 && !has_fixed_coding(operand))
        source = plan.sources.at(node->result);
    }
  }
}

Status remove_float_nodes(const std::vector<std::string>& names, const QuantizableModel& model,
                          std::vector<QuantizableNode>& candidates) {
  for (const std::string& name : names) {
    const auto has_name = [&](const FloatNode& node) { return std::ranges::count(node.names, name) > 0; };
    if (std::ranges::none_of(model.nodes, has_name))
      return invalid("The model has no node or operator named (", name, ").");
    std::erase_if(candidates,
                  [&](const QuantizableNode& node) { return has_name(model.nodes[node.position]); });
  }
  return {};
}

std::vector<TensorId> values_of(const QuantizationPlan& plan) {
  std::vector<TensorId> values;
  std::unordered_set<TensorId> seen;
  const auto add = [&](TensorId value) {
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
