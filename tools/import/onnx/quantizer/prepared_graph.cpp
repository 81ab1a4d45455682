#include "tools/import/onnx/quantizer/prepared_graph.h"

#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/onnx_constants.h"
#include "tools/import/onnx/onnx_conversion.h"
#include "tools/import/onnx/quantizer/batch_norm_folding.h"
#include "tools/import/onnx/quantizer/constant_nodes.h"
#include "tools/import/onnx/quantizer/opset_raising.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace nnrt::import::onnx {
namespace {

using onnx_file::GraphProto;
using onnx_file::NodeProto;
using onnx_file::TensorProto;

constexpr int64_t kInitializersAlone = 4;  // since this IR version, initializers need not be inputs

// Drops unneeded nodes.
Status sort(GraphProto& graph) {
  onnx_file::Messages<NodeProto> sorted;
  {
    NNRT_ASSIGN(const Nodes nodes, Nodes::read(graph));
    for (const int position : nodes.order()) sorted.add() = graph.node(position);
  }
  graph.mutable_node()->swap(sorted);
  return {};
}

// Operators whose first output's dtype differs from the first input's.
constexpr std::array<std::string_view, 21> kOfOtherTypes{
    "ArgMax",         "ArgMin",       "Equal",         "Greater", "GreaterOrEqual", "If",      "IsInf",
    "IsNaN",          "Less",         "LessOrEqual",   "Loop",    "MatMulInteger",  "NonZero", "Not",
    "QuantizeLinear", "RandomNormal", "RandomUniform", "Scan",    "Shape",          "Size",    "Unique"};

// Returns whether a node's first output is FLOAT32.
bool gives_floats(const NodeProto& node, const std::unordered_set<std::string>& floats) {
  const Attributes attributes(node);
  const auto is_float = [&](int i) { return i < node.input_size() && floats.contains(node.input(i)); };
  const std::string& type = node.op_type();
  if (type == "Cast") return attributes.integer("to", 0) == kFloat32Type;
  if (type == "Constant") return attributes.has("value_float") || attributes.has("value_floats");
  if (type == "ConstantOfShape") {
    const TensorProto* const value = attributes.tensor("value");
    return value == nullptr || value->data_type() == kFloat32Type;
  }
  if (type == "Where") return is_float(1);
  if (type == "OneHot") return is_float(2);
  return std::ranges::find(kOfOtherTypes, type) == kOfOtherTypes.end() && is_float(0);
}

}  // namespace

Result<PreparedGraph> PreparedGraph::prepare(onnx_file::ModelProto model, const DataFolders& folders) {
  PreparedGraph made;
  NNRT_ASSIGN(made.opset_, read_opset(model));
  made.model_ = std::move(model);
  GraphProto& graph = *made.model_.mutable_graph();
  made.model_.set_ir_version(std::max(made.model_.ir_version(), kInitializersAlone));
  TensorData data(folders);
  NNRT_TRY(embed_external_data(graph, data));  // the output may be in another folder
  NNRT_ASSIGN(made.opset_, raised_opset(made.model_, made.opset_));
  NNRT_TRY(sort(graph));
  gather_constants(graph);
  made.index_constants();
  NNRT_TRY(made.fold_batch_norms());
  NNRT_TRY(sort(graph));
  remove_unread_constants(graph);
  made.index_constants();
  made.find_floats();
  return made;
}

void PreparedGraph::index_constants() {
  constants_.clear();
  for (int i = 0; i < graph().initializer_size(); ++i) constants_.emplace(graph().initializer(i).name(), i);
}

std::optional<FloatConstant> PreparedGraph::floats(const std::string& value) const {
  const auto found = constants_.find(value);
  if (found == constants_.end() || graph().initializer(found->second).data_type() != kFloat32Type) return {};
  const auto tensor = read_constant(graph().initializer(found->second));
  if (!tensor.ok()) return {};
  FloatConstant constant{{tensor.value().shape.begin(), tensor.value().shape.end()}, {}};
  constant.values.resize(tensor.value().data->size() / sizeof(float));
  std::memcpy(constant.values.data(), tensor.value().data->data(), constant.values.size() * sizeof(float));
  return constant;
}

void PreparedGraph::find_floats() {
  for (const auto& input : graph().input()) {
    if (input.type().tensor_type().elem_type() == kFloat32Type) floats_.insert(input.name());
  }
  for (const TensorProto& tensor : graph().initializer()) {
    if (tensor.data_type() == kFloat32Type) floats_.insert(tensor.name());
  }
  for (const NodeProto& node : graph().node()) {
    if (!gives_floats(node, floats_)) continue;
    const int count = node.op_type() == "Split" ? node.output_size() : 1;
    for (int i = 0; i < count; ++i) floats_.insert(node.output(i));
  }
}

Status PreparedGraph::fold_batch_norms() {
  BatchNormFolding folding(*model_.mutable_graph(), [this](const std::string& name) { return floats(name); });
  return folding.run();
}

void set_floats(onnx_file::TensorProto& tensor, const std::vector<float>& values) {
  tensor.set_data_type(kFloat32Type);
  tensor.clear_float_data();
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
}

}  // namespace nnrt::import::onnx
