#include "tools/import/onnx/quantizer/quantizable_nodes.h"

#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/onnx_nodes.h"
#include "tools/import/onnx/quantizer/onnx_quantizer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace nnrt::import::onnx {
namespace {

using onnx_file::NodeProto;

struct Operator {
  std::string_view type;
  NodeKind kind{};
  size_t operands = 1;  // 0: all inputs
  bool activates = false;
};

constexpr std::array kOperators{
    Operator{"Add", NodeKind::computed, 2, true},
    Operator{"AveragePool", NodeKind::computed},
    Operator{"Concat", NodeKind::computed, 0},
    Operator{"Conv", NodeKind::weighted, 1, true},
    Operator{"ConvTranspose", NodeKind::weighted, 1, true},
    Operator{"DepthToSpace", NodeKind::moved},
    Operator{"Flatten", NodeKind::moved},
    Operator{"Gather", NodeKind::moved},
    Operator{"Gemm", NodeKind::weighted, 1, true},
    Operator{"GlobalAveragePool", NodeKind::computed},
    Operator{"GlobalMaxPool", NodeKind::moved},
    Operator{"HardSwish", NodeKind::computed},
    Operator{"Identity", NodeKind::moved},
    Operator{"MatMul", NodeKind::weighted, 1, true},
    Operator{"MaxPool", NodeKind::moved},
    Operator{"Mul", NodeKind::computed, 2, true},
    Operator{"Pad", NodeKind::moved},
    Operator{"ReduceMean", NodeKind::computed},
    Operator{"Relu", NodeKind::computed},
    Operator{"Reshape", NodeKind::moved},
    Operator{"Resize", NodeKind::moved},
    Operator{"Sigmoid", NodeKind::computed},
    Operator{"Slice", NodeKind::moved},
    Operator{"Softmax", NodeKind::computed},
    Operator{"SpaceToDepth", NodeKind::moved},
    Operator{"Squeeze", NodeKind::moved},
    Operator{"Sub", NodeKind::computed, 2, true},
    Operator{"Tanh", NodeKind::computed},
    Operator{"Tile", NodeKind::moved},
    Operator{"Transpose", NodeKind::moved},
    Operator{"Unsqueeze", NodeKind::moved},
};

// Operators that read a residual stream to normalize it, fused or written out.
constexpr std::array<std::string_view, 5> kNorms{"LayerNormalization", "Pow", "RMSNormalization",
                                                 "SimplifiedLayerNormalization", "SkipLayerNormalization"};

const Operator* find_operator(const NodeProto& node) {
  if (!node.domain().empty() && node.domain() != "ai.onnx") return nullptr;
  const auto found = std::ranges::find(kOperators, std::string_view(node.op_type()), &Operator::type);
  return found == kOperators.end() ? nullptr : &*found;
}

bool has_input(const NodeProto& node, int i) { return i < node.input_size() && !node.input(i).empty(); }

// A Clip bound, from an attribute or (since opset 11) a constant input; empty if neither.
std::optional<float> bound(const NodeProto& clip, int input, std::string_view attribute,
                           const FloatGraph& graph) {
  if (!has_input(clip, input)) {
    const Attributes attributes(clip);
    return attributes.has(attribute) ? std::optional(attributes.real(attribute, 0)) : std::nullopt;
  }
  const auto constant = graph.floats(clip.input(input));
  return constant && constant->values.size() == 1 ? std::optional(constant->values[0]) : std::nullopt;
}

class Finder {
 public:
  Finder(const FloatGraph& graph, const Nodes& nodes) : graph_(graph), nodes_(nodes) {
    for (const NodeProto& node : graph.graph().node()) {
      if (node.op_type() == "HardSigmoid" && node.output_size() == 1) gates_.insert(node.output(0));
      if (std::ranges::find(kNorms, std::string_view(node.op_type())) != kNorms.end() && has_input(node, 0))
        normalized_.insert(node.input(0));
    }
    for (const auto& output : graph.graph().output()) outputs_.insert(output.name());
  }

  std::optional<QuantizableNode> find(int position) const {
    const NodeProto& node = graph_.graph().node(position);
    const Operator* const row = find_operator(node);
    if (row == nullptr || node.output_size() != 1 || !is_possible(node)) return {};
    QuantizableNode found;
    found.position = position;
    found.kind = row->kind;
    if (found.kind == NodeKind::weighted && !has_weights(node)) return {};
    found.input_count = row->operands == 0 ? static_cast<size_t>(node.input_size()) : row->operands;
    if (!add_operands(node, found)) return {};
    found.result = node.output(0);
    if (row->activates) fuse_activation(found);
    return found;
  }

 private:
  bool is_possible(const NodeProto& node) const {
    const Attributes attributes(node);
    const std::string& type = node.op_type();
    // Class scores stay float for accuracy.
    if (type == "Softmax" || type == "Sigmoid") return !outputs_.contains(node.output(0));
    if (type == "Add" || type == "Concat") return !normalized_.contains(node.output(0));
    if (type == "Resize") return attributes.text("mode", "nearest") != "cubic";
    if (type == "Pad") return pads_zeros(node);
    if (type == "Gemm")
      return attributes.real("alpha", 1) == 1 && attributes.integer("transA", 0) == 0 &&
             (!has_input(node, 2) || attributes.real("beta", 1) == 1);
    return true;
  }

  bool pads_zeros(const NodeProto& pad) const {
    if (Attributes(pad).text("mode", "constant") != "constant") return false;
    if (!has_input(pad, 2)) return Attributes(pad).real("value", 0) == 0;
    const auto constant = graph_.floats(pad.input(2));
    return constant && constant->values == std::vector<float>{0};
  }

  bool has_weights(const NodeProto& node) const {
    if (!has_input(node, 1)) return false;
    const auto weights = graph_.floats(node.input(1));
    constexpr size_t kMaxRank = 4;  // of a 2-D convolution
    if (!weights || weights->shape.size() < 2 || weights->shape.size() > kMaxRank) return false;
    if (!has_input(node, 2) || node.op_type() == "MatMul") return true;
    const auto bias = graph_.floats(node.input(2));
    if (!bias) return false;
    const auto axis = node.op_type() == "ConvTranspose" ? 1 : channel_axis(node, weights->shape.size());
    const int64_t channels = weights->shape[*axis] * groups_of_outputs(node);
    const auto count = static_cast<int64_t>(bias->values.size());
    if (count == 1) return true;
    return count == channels && !bias->shape.empty() && bias->shape.back() == channels;
  }

  static int64_t groups_of_outputs(const NodeProto& node) {
    return node.op_type() == "ConvTranspose" ? Attributes(node).integer("group", 1) : 1;
  }

  bool add_operands(const NodeProto& node, QuantizableNode& found) const {
    for (size_t i = 0; i < found.input_count; ++i) {
      if (!has_input(node, static_cast<int>(i))) return false;
      const std::string& value = node.input(static_cast<int>(i));
      if (!graph_.is_float(value)) return false;
      if (!graph_.is_constant(value)) {
        found.operands.push_back(value);
        if (node.op_type() != "Mul" || !gates_.contains(value)) found.sources.push_back(value);
      } else if (!has_range(value)) {
        return false;
      }
    }
    return !found.sources.empty();
  }

  // Masks have such large values that all others would share one quantized value.
  bool has_range(const std::string& constant) const {
    const auto read = graph_.floats(constant);
    return read && !read->values.empty() &&
           std::ranges::all_of(read->values, [](float value) { return std::abs(value) < kLargestMagnitude; });
  }

  // Fuses a Relu, or a Clip to [0, 6], that is the result's only reader.
  void fuse_activation(QuantizableNode& found) const {
    const int reader = nodes_.only_reader(found.result);
    if (reader < 0) return;
    const NodeProto& next = graph_.graph().node(reader);
    if (next.output_size() != 1 || next.input(0) != found.result) return;
    const bool clips = next.op_type() == "Clip" && bound(next, 1, "min", graph_) == 0.0f &&
                       bound(next, 2, "max", graph_) == 6.0f;
    if (!clips && next.op_type() != "Relu") return;
    found.activation = reader;
    found.result = next.output(0);
  }

  const FloatGraph& graph_;
  const Nodes& nodes_;
  std::unordered_set<std::string> outputs_;
  // Results of HardSigmoid, which has no quantized form. For a product they are as good as quantized:
  // bounded, and small next to a feature map that would otherwise have to become float.
  std::unordered_set<std::string> gates_;
  // Residual streams of transformers: a few of their channels are large (norms undo that), so a per-tensor
  // scale is a poor fit.
  std::unordered_set<std::string> normalized_;
};

}  // namespace

Result<std::vector<QuantizableNode>> quantizable_nodes(const FloatGraph& graph) {
  NNRT_ASSIGN(const Nodes nodes, Nodes::read(graph.graph()));
  const Finder finder(graph, nodes);
  std::vector<bool> is_fused(static_cast<size_t>(graph.graph().node_size()), false);
  std::vector<QuantizableNode> found;
  for (int i = 0; i < graph.graph().node_size(); ++i) {
    if (is_fused[static_cast<size_t>(i)]) continue;
    auto node = finder.find(i);
    if (!node) continue;
    if (node->activation >= 0) is_fused[static_cast<size_t>(node->activation)] = true;
    found.push_back(*std::move(node));
  }
  return found;
}

std::optional<size_t> channel_axis(const NodeProto& node, size_t rank) {
  const Attributes attributes(node);
  const std::string& type = node.op_type();
  if (type == "Conv") return 0;
  if (type == "ConvTranspose")
    return attributes.integer("group", 1) == 1 ? std::optional<size_t>(1) : std::nullopt;
  if (type == "Gemm") return attributes.integer("transB", 0) != 0 ? 0 : 1;
  return rank == 2 ? std::optional<size_t>(1) : std::nullopt;
}

}  // namespace nnrt::import::onnx
