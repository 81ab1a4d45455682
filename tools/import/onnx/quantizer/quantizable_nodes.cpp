#include "tools/import/onnx/quantizer/quantizable_nodes.h"

#include "tools/import/network/layers.h"
#include "tools/import/onnx/onnx_attributes.h"

#include <algorithm>
#include <array>

namespace nnrt::import::onnx {
namespace {

using onnx_file::NodeProto;

struct Operator {
  std::string_view type;
  Int8Form form;
};

constexpr Int8Form kWeighted{NodeKind::weighted}, kComputed{NodeKind::computed}, kMoved{NodeKind::moved};
constexpr Int8Form kPairs{NodeKind::computed, 2};
constexpr Int8Form kScores{.kind = NodeKind::computed, .gives_scores = true};

constexpr std::array kOperators{
    Operator{"Add", {.kind = NodeKind::computed, .operands = 2, .joins_streams = true}},
    Operator{"AveragePool", kComputed},
    Operator{"Concat", {.kind = NodeKind::computed, .operands = 0, .joins_streams = true}},
    Operator{"Conv", kWeighted},
    Operator{"ConvTranspose", kWeighted},
    Operator{"DepthToSpace", kMoved},
    Operator{"Flatten", kMoved},
    Operator{"Gather", kMoved},
    Operator{"Gemm", kWeighted},
    Operator{"GlobalAveragePool", kComputed},
    Operator{"GlobalMaxPool", kMoved},
    Operator{"HardSwish", kComputed},
    Operator{"Identity", kMoved},
    Operator{"MatMul", kWeighted},
    Operator{"MaxPool", kMoved},
    Operator{"Mul", kPairs},
    Operator{"Pad", kMoved},
    Operator{"ReduceMean", kComputed},
    Operator{"Relu", kComputed},
    Operator{"Reshape", kMoved},
    Operator{"Resize", kMoved},
    Operator{"Sigmoid", kScores},
    Operator{"Slice", kMoved},
    Operator{"Softmax", kScores},
    Operator{"SpaceToDepth", kMoved},
    Operator{"Squeeze", kMoved},
    Operator{"Sub", kPairs},
    Operator{"Tanh", kComputed},
    Operator{"Tile", kMoved},
    Operator{"Transpose", kMoved},
    Operator{"Unsqueeze", kMoved},
};
constexpr std::array<std::string_view, 7> kFuseRelu{"Add", "Conv", "ConvTranspose", "Gemm", "MatMul",
                                                    "Mul", "Sub"};

// Operators that read a residual stream to normalize it, fused or written out.
constexpr std::array<std::string_view, 5> kNorms{"LayerNormalization", "Pow", "RMSNormalization",
                                                 "SimplifiedLayerNormalization", "SkipLayerNormalization"};

bool has_input(const NodeProto& node, int i) { return i < node.input_size() && !node.input(i).empty(); }

// A Clip bound, from an attribute or (since opset 11) a constant input; empty if neither.
std::optional<float> bound(const NodeProto& clip, int input, std::string_view attribute,
                           const PreparedGraph& graph) {
  if (!has_input(clip, input)) {
    const Attributes attributes(clip);
    return attributes.has(attribute) ? std::optional(attributes.real(attribute, 0)) : std::nullopt;
  }
  const auto constant = graph.floats(clip.input(input));
  return constant && constant->values.size() == 1 ? std::optional(constant->values[0]) : std::nullopt;
}

bool is_relu(const NodeProto& node, const PreparedGraph& graph) {
  if (node.op_type() == "Relu") return true;
  return node.op_type() == "Clip" && bound(node, 1, "min", graph) == 0.0f &&
         bound(node, 2, "max", graph) == 6.0f;
}

bool pads_zeros(const NodeProto& pad, const PreparedGraph& graph) {
  if (Attributes(pad).text("mode", "constant") != "constant") return false;
  if (!has_input(pad, 2)) return Attributes(pad).real("value", 0) == 0;
  const auto constant = graph.floats(pad.input(2));
  return constant && constant->values == std::vector<float>{0};
}

// Attributes with which an operator has no INT8 form.
bool fits(const NodeProto& node, const PreparedGraph& graph) {
  const Attributes attributes(node);
  const std::string& type = node.op_type();
  if (type == "Resize") return attributes.text("mode", "nearest") != "cubic";
  if (type == "Pad") return pads_zeros(node, graph);
  if (type == "Gemm")
    return attributes.real("alpha", 1) == 1 && attributes.integer("transA", 0) == 0 &&
           (!has_input(node, 2) || attributes.real("beta", 1) == 1);
  return true;
}

// Empty: one scale for the tensor.
std::optional<size_t> channel_axis(const NodeProto& node, size_t rank) {
  const Attributes attributes(node);
  const std::string& type = node.op_type();
  if (type == "Conv") return 0;
  if (type == "ConvTranspose")
    return attributes.integer("group", 1) == 1 ? std::optional<size_t>(1) : std::nullopt;
  if (type == "Gemm") return attributes.integer("transB", 0) != 0 ? 0 : 1;
  return rank == 2 ? std::optional<size_t>(1) : std::nullopt;
}

// Returns false if the weights are not those of a matrix product or a convolution up to 2-D.
bool describe_weights(const NodeProto& node, const PreparedGraph& graph, FloatNode& made) {
  if (!has_input(node, 1)) return false;
  const auto weights = graph.floats(node.input(1));
  constexpr size_t kMaxRank = 4;
  if (!weights || weights->shape.size() < 2 || weights->shape.size() > kMaxRank) return false;
  made.channel_axis = channel_axis(node, weights->shape.size());
  made.broadcasts_bias = true;
  if (node.op_type() == "ConvTranspose")
    made.channels = weights->shape[1] * Attributes(node).integer("group", 1);
  else if (made.channel_axis)
    made.channels = weights->shape[*made.channel_axis];
  return true;
}

std::optional<Int8Form> form_of(const NodeProto& node, const PreparedGraph& graph, FloatNode& made) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return {};
  const auto found = std::ranges::find(kOperators, std::string_view(node.op_type()), &Operator::type);
  if (found == kOperators.end() || !fits(node, graph)) return {};
  if (found->form.kind == NodeKind::weighted && !describe_weights(node, graph, made)) return {};
  return found->form;
}

FloatNode described(const NodeProto& node, const PreparedGraph& graph) {
  FloatNode made;
  made.op = node.op_type();
  made.label = label_of(Layer{made.op, node.name().empty() ? node.output(0) : node.name(), {}});
  made.names = {node.name(), node.op_type()};
  made.names.insert(made.names.end(), node.output().begin(), node.output().end());
  made.inputs.assign(node.input().begin(), node.input().end());
  made.outputs.assign(node.output().begin(), node.output().end());
  made.form = form_of(node, graph, made);
  made.fuses_relu = std::ranges::count(kFuseRelu, std::string_view(node.op_type())) > 0;
  made.is_relu = is_relu(node, graph);
  made.takes_gates = node.op_type() == "Mul";
  return made;
}

void add_reads_of_bodies(const NodeProto& node, std::unordered_set<std::string>& read) {
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const auto& output : attribute.g().output()) read.insert(output.name());
    for (const NodeProto& inner : attribute.g().node()) {
      read.insert(inner.input().begin(), inner.input().end());
      add_reads_of_bodies(inner, read);
    }
  }
}

}  // namespace

FloatGraph float_graph(const PreparedGraph& graph) {
  FloatGraph made;
  for (const auto& input : graph.graph().input()) made.inputs.push_back(input.name());
  for (const auto& output : graph.graph().output()) made.outputs.push_back(output.name());
  for (const NodeProto& node : graph.graph().node()) {
    made.nodes.push_back(described(node, graph));
    add_reads_of_bodies(node, made.read_by_bodies);
    if (node.op_type() == "HardSigmoid" && node.output_size() == 1) made.gates.insert(node.output(0));
    if (std::ranges::count(kNorms, std::string_view(node.op_type())) > 0 && has_input(node, 0))
      made.normalized.insert(node.input(0));
  }
  return made;
}

}  // namespace nnrt::import::onnx
