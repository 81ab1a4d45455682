#include "tools/import/quantizer/model_quantizer.h"

namespace nnrt::import {
Result<std::unique_ptr<ModelQuantizer>> ModelQuantizer::create(std::unique_ptr<QuantizableModel> model,
                                                               const std::vector<std::string>& float_nodes) {
  std::vector<QuantizableNode> candidates = find_candidates(*model);
  NNRT_TRY(remove_float_nodes(float_nodes, model->graph(), candidates));
  if (plan_quantization(candidates).nodes.empty())
    return Error{Code::unsupported,
                 "The model has no FLOAT32 convolution or matrix product with constant weights to quantize."};
  return std::unique_ptr<ModelQuantizer>(new ModelQuantizer(std::move(model), std::move(candidates)));
}

ModelQuantizer::ModelQuantizer(std::unique_ptr<QuantizableModel> model,
                               std::vector<QuantizableNode> candidates)
    : model_(std::move(model)), candidates_(std::move(candidates)) {
  for (const FloatNode& node : model_->graph().nodes)
    if (node.form && node.form->coding)
      for (const std::string& output : node.outputs) fixed_codings_.emplace(output, *node.form->coding);
}

std::vector<std::string> ModelQuantizer::values() const { return values_of(plan_quantization(candidates_)); }

Result<QuantizedModel> ModelQuantizer::quantize(const Ranges& ranges) const {
  const FloatGraph& graph = model_->graph();
  QuantizationPlan plan =
      plan_quantization(candidates_, [&](const std::string& value) { return ranges.contains(value); });
  if (plan.nodes.empty())
    return Error{Code::unsupported, "No value has a finite range: nothing can be quantized."};
  share_codings(plan, graph, [&](const std::string& value) { return fixed_codings_.contains(value); });
  NNRT_ASSIGN(WrittenModel written, model_->write(plan, [&](const std::string& source) {
    const auto fixed = fixed_codings_.find(source);
    if (fixed != fixed_codings_.end()) return fixed->second;
    const ValueRange& range = ranges.at(source);
    return coding_of(range.low, range.high);
  }));
  QuantizedModel made;
  made.file = std::move(written.file);
  made.network = std::move(written.network);
  std::unordered_set<std::string> named;  // a layer may have several nodes
  for (const QuantizableNode& node : plan.nodes) {
    if (node.kind == NodeKind::moved) continue;
    made.layers.push_back({graph.nodes[node.position].label, node.result, written.quantized.at(node.result)});
    named.insert(graph.nodes[node.position].layer);
  }
  for (const size_t position : float_positions(plan, graph.nodes.size())) {
    const FloatNode& node = graph.nodes[position];
    if (node.layer.empty() || named.insert(node.layer).second) made.float_layers.push_back(node.label);
  }
  return made;
}

}  // namespace nnrt::import
