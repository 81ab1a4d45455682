#include "tools/import/onnx/quantizer/opset_raising.h"

#include "core/base/text.h"
#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/quantizer/prepared_graph.h"

#include <algorithm>
#include <numeric>

namespace nnrt::import::onnx {
namespace {

using onnx_file::GraphProto;
using onnx_file::NodeProto;
using onnx_file::TensorProto;

constexpr int64_t kFirst = 7, kScalesAsInput = 9, kRaised = 10;

void remove_attributes(NodeProto& node, std::initializer_list<std::string_view> names) {
  auto& attributes = *node.mutable_attribute();
  attributes.erase(
      std::remove_if(attributes.begin(), attributes.end(),
                     [&](const auto& each) { return std::ranges::find(names, each.name()) != names.end(); }),
      attributes.end());
}

// Whether a value of the graph has the name.
bool is_taken(const GraphProto& graph, const std::string& name) {
  const auto has_name = [&](const auto& value) { return value.name() == name; };
  if (std::ranges::any_of(graph.initializer(), has_name) || std::ranges::any_of(graph.input(), has_name))
    return true;
  return std::ranges::any_of(graph.node(), [&](const NodeProto& node) {
    return std::ranges::find(node.output(), name) != node.output().end();
  });
}

// An initializer as the node's next input.
TensorProto& add_constant_input(GraphProto& graph, NodeProto& node, const char* name, size_t count) {
  std::string free = cat(node.output(0), '_', name);
  while (is_taken(graph, free)) free += '_';
  TensorProto& constant = *graph.add_initializer();
  constant.set_name(free);
  constant.add_dims(static_cast<int64_t>(count));
  node.add_input(constant.name());
  return constant;
}

void add_input(GraphProto& graph, NodeProto& node, const char* name, const std::vector<int64_t>& values) {
  TensorProto& constant = add_constant_input(graph, node, name, values.size());
  constant.set_data_type(kInt64Type);
  constant.set_raw_data(values.data(), values.size() * sizeof(int64_t));
}

void raise_upsample(GraphProto& graph, NodeProto& node, int64_t opset) {
  if (opset < kScalesAsInput) {
    const std::vector<float> scales = Attributes(node).floats("scales");
    set_floats(add_constant_input(graph, node, "scales", scales.size()), scales);
    remove_attributes(node, {"scales"});
  }
  node.set_op_type("Resize");
}

void raise_slice(GraphProto& graph, NodeProto& node) {
  const Attributes attributes(node);
  const std::vector<int64_t> starts = attributes.integers("starts"), ends = attributes.integers("ends");
  std::vector<int64_t> axes = attributes.integers("axes");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), int64_t{0});
  }
  add_input(graph, node, "starts", starts);
  add_input(graph, node, "ends", ends);
  add_input(graph, node, "axes", axes);
  remove_attributes(node, {"starts", "ends", "axes"});
}

Status raise(GraphProto& graph, NodeProto& node, int64_t opset) {
  const std::string& type = node.op_type();
  if (!node.domain().empty() || node.output_size() == 0) return {};
  const auto has_body = [](const auto& attribute) { return attribute.has_g(); };
  if (std::ranges::any_of(node.attribute(), has_body) ||
      (type == "BatchNormalization" && Attributes(node).integer("spatial", 1) == 0)) {
    return unsupported("Node (", node.name(), ") of ", type, " cannot be raised from opset ", opset, " to ",
                       kRaised, ", as quantized models need.");
  }
  if (type == "Upsample") raise_upsample(graph, node, opset);
  if (type == "Slice") raise_slice(graph, node);
  if (type == "TopK") {
    add_input(graph, node, "k", {Attributes(node).integer("k", 1)});
    remove_attributes(node, {"k"});
  }
  if (type == "BatchNormalization") remove_attributes(node, {"spatial"});
  return {};
}

}  // namespace

Result<int64_t> raised_opset(onnx_file::ModelProto& model, int64_t opset) {
  if (opset < kFirst || opset >= kRaised) return opset;
  GraphProto& graph = *model.mutable_graph();
  for (NodeProto& node : *graph.mutable_node()) NNRT_TRY(raise(graph, node, opset));
  for (auto& set : *model.mutable_opset_import()) {
    if (set.domain().empty() || set.domain() == "ai.onnx") set.set_version(kRaised);
  }
  return kRaised;
}

}  // namespace nnrt::import::onnx
