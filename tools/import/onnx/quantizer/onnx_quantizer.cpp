#include "tools/import/onnx/quantizer/onnx_quantizer.h"

#include "core/base/text.h"
#include "tools/import/network/layers.h"
#include "tools/import/onnx/onnx_conversion.h"
#include "tools/import/onnx/quantizer/qdq_writer.h"

#include <algorithm>
#include <limits>

namespace nnrt::import {

using namespace onnx;

namespace {

Status check_is_float(const onnx_file::GraphProto& graph) {
  for (const onnx_file::NodeProto& node : graph.node()) {
    const std::string& type = node.op_type();
    if (type == "QuantizeLinear" || type == "DynamicQuantizeLinear" || type.starts_with("QLinear") ||
        type.starts_with("ConvInteger") || type.starts_with("MatMulInteger")) {
      return unsupported("The model is already quantized: it has operator ", type, ".");
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

// Returns whether `name` is the node's name, its type, or one of its outputs.
bool is_named(const FloatGraph& graph, int position, const std::string& name) {
  const onnx_file::NodeProto& node = graph.graph().node(position);
  return node.name() == name || node.op_type() == name ||
         std::ranges::find(node.output(), name) != node.output().end();
}

class OnnxQuantizer final : public ModelQuantizer {
 public:
  OnnxQuantizer(FloatGraph graph, std::vector<QuantizableNode> candidates)
      : graph_(std::move(graph)), candidates_(std::move(candidates)) {}

  std::vector<std::string> values() const override { return values_of(plan_quantization(candidates_)); }
  std::string float_file() const override { return graph_.model().serialize(); }
  uint64_t size() const override { return graph_.model().byte_size(); }
  Result<QuantizedModel> quantize(const Ranges& ranges) const override;

 private:
  const FloatGraph graph_;
  const std::vector<QuantizableNode> candidates_;
};

Result<QuantizedModel> OnnxQuantizer::quantize(const Ranges& ranges) const {
  const QuantizationPlan plan =
      plan_quantization(candidates_, [&](const std::string& value) { return ranges.contains(value); });
  if (plan.nodes.empty()) return no_ranges();
  QdqWriter writer(graph_, plan, [&](const std::string& source) {
    const ValueRange& range = ranges.at(source);
    return coding_of(range.low, range.high);
  });
  QuantizedModel made;
  made.file = writer.write().serialize();
  if (made.file.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return unsupported("The quantized model is larger than 2 GiB.");
  for (const QuantizableNode& node : plan.nodes) {
    if (node.kind == NodeKind::moved) continue;
    made.layers.push_back(
        {label_of(graph_, node.position, node.activation), node.result, writer.dequantized(node.result)});
  }
  for (const int position : float_positions(plan, graph_.graph().node_size()))
    made.float_layers.push_back(label_of(graph_, position, -1));
  return made;
}

}  // namespace

Result<std::unique_ptr<ModelQuantizer>> read_onnx_quantizer(const std::string& file,
                                                            const DataFolders& folders,
                                                            const std::vector<std::string>& float_nodes) {
  NNRT_ASSIGN(onnx_file::ModelProto model, parse_onnx(std::as_bytes(std::span(file))));
  NNRT_TRY(check_is_float(model.graph()));
  NNRT_ASSIGN(FloatGraph graph, FloatGraph::prepare(std::move(model), folders));
  NNRT_ASSIGN(std::vector<QuantizableNode> candidates, quantizable_nodes(graph));
  NNRT_TRY(remove_float_nodes(
      float_nodes, graph.graph().node_size(),
      [&](int position, const std::string& name) { return is_named(graph, position, name); }, candidates));
  if (plan_quantization(candidates).nodes.empty()) return nothing_to_quantize();
  return std::unique_ptr<ModelQuantizer>(
      std::make_unique<OnnxQuantizer>(std::move(graph), std::move(candidates)));
}

Result<std::string> with_onnx_outputs(const std::string& onnx, std::span<const std::string> values) {
  NNRT_ASSIGN(onnx_file::ModelProto model, parse_onnx(std::as_bytes(std::span(onnx))));
  model.mutable_graph()->clear_output();
  for (const std::string& value : values) model.mutable_graph()->add_output()->set_name(value);
  return model.serialize();
}

}  // namespace nnrt::import
