#include "tools/import/onnx/quantizer/onnx_quantizer.h"

#include "core/base/text.h"
#include "tools/import/network/layers.h"
#include "tools/import/onnx/onnx_conversion.h"
#include "tools/import/onnx/quantizer/qdq_writer.h"

#include <algorithm>
#include <set>

namespace nnrt::import {

using namespace onnx;

struct OnnxQuantizer::State {
  FloatGraph graph;
  std::vector<QuantizableNode> candidates;
};

namespace {

Status check_is_float(const onnx_file::GraphProto& graph) {
  for (const onnx_file::NodeProto& node : graph.node()) {
    const std::string& type = node.op_type();
    if (type == "QuantizeLinear" || type == "DynamicQuantizeLinear" || type.starts_with("QLinear") ||
        type.starts_with("ConvInteger") || type.starts_with("MatMulInteger")) {
      return unsupported("The model is quantized already: it has the operator ", type, ".");
    }
  }
  return {};
}

std::string label_of(const FloatGraph& graph, int position, int activation) {
  const onnx_file::NodeProto& at = graph.graph().node(position);
  Layer layer{at.op_type(), at.name().empty() ? at.output(0) : at.name(), {}};
  if (activation >= 0) layer.fused.push_back(graph.graph().node(activation).op_type());
  return import::label_of(layer);
}

// Fails for a name that is none of the model's.
Status remove_float_nodes(const FloatGraph& graph, const std::vector<std::string>& names,
                          std::vector<QuantizableNode>& candidates) {
  for (const std::string& name : names) {
    const auto is_named = [&](const onnx_file::NodeProto& node) {
      return node.name() == name || node.op_type() == name ||
             std::ranges::find(node.output(), name) != node.output().end();
    };
    if (std::ranges::none_of(graph.graph().node(), is_named))
      return invalid("The model has no node and no operator of the name (", name, ").");
    std::erase_if(candidates, [&](const QuantizableNode& node) {
      return is_named(graph.graph().node(node.position)) ||
             (node.activation >= 0 && is_named(graph.graph().node(node.activation)));
    });
  }
  return {};
}

bool is_computing(const QuantizableNode& node) { return node.kind != NodeKind::moved; }

std::vector<std::string> labels_of_others(const FloatGraph& graph, const QuantizationPlan& plan) {
  std::set<int> quantized;
  for (const QuantizableNode& node : plan.nodes) quantized.insert({node.position, node.activation});
  std::vector<std::string> labels;
  for (int i = 0; i < graph.graph().node_size(); ++i) {
    if (!quantized.contains(i)) labels.push_back(label_of(graph, i, -1));
  }
  return labels;
}

}  // namespace

OnnxQuantizer::OnnxQuantizer(std::unique_ptr<State> state) : state_(std::move(state)) {}
OnnxQuantizer::OnnxQuantizer(OnnxQuantizer&&) noexcept = default;
OnnxQuantizer& OnnxQuantizer::operator=(OnnxQuantizer&&) noexcept = default;
OnnxQuantizer::~OnnxQuantizer() = default;

Result<OnnxQuantizer> OnnxQuantizer::read(const std::string& file, const std::filesystem::path& folder,
                                          const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(onnx_file::ModelProto model, parse_onnx(std::as_bytes(std::span(file))));
  NNRT_TRY(check_is_float(model.graph()));
  auto state = std::make_unique<State>();
  NNRT_ASSIGN(state->graph, FloatGraph::prepare(std::move(model), folder.empty() ? "." : folder));
  NNRT_ASSIGN(state->candidates, quantizable_nodes(state->graph));
  NNRT_TRY(remove_float_nodes(state->graph, float_nodes, state->candidates));
  if (plan_quantization(state->candidates, [](const std::string&) { return true; }).nodes.empty())
    return nothing_to_quantize();
  return OnnxQuantizer(std::move(state));
}

std::vector<std::string> OnnxQuantizer::values() const {
  return values_of(plan_quantization(state_->candidates, [](const std::string&) { return true; }));
}

std::string OnnxQuantizer::float_file() const { return state_->graph.model().SerializeAsString(); }

uint64_t OnnxQuantizer::size() const { return state_->graph.model().ByteSizeLong(); }

Result<QuantizedModel> OnnxQuantizer::quantize(const Ranges& ranges) const {
  const QuantizationPlan plan =
      plan_quantization(state_->candidates, [&](const std::string& value) { return ranges.contains(value); });
  if (plan.nodes.empty()) return no_ranges();
  QdqWriter writer(state_->graph, plan, [&](const std::string& source) {
    const ValueRange& range = ranges.at(source);
    return coding_of(range.low, range.high);
  });
  QuantizedModel made;
  if (!writer.write().SerializeToString(&made.file))
    return unsupported("The quantized model takes more than 2 GiB.");
  for (const QuantizableNode& node : plan.nodes) {
    if (is_computing(node))
      made.layers.push_back({label_of(state_->graph, node.position, node.activation), node.result,
                             writer.dequantized(node.result)});
  }
  made.float_layers = labels_of_others(state_->graph, plan);
  return made;
}

Result<std::string> with_onnx_outputs(const std::string& onnx, std::span<const std::string> values) {
  NNRT_ASSIGN(onnx_file::ModelProto model, parse_onnx(std::as_bytes(std::span(onnx))));
  model.mutable_graph()->clear_output();
  for (const std::string& value : values) model.mutable_graph()->add_output()->set_name(value);
  return model.SerializeAsString();
}

}  // namespace nnrt::import
