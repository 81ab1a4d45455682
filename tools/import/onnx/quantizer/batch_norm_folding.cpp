#include "tools/import/onnx/quantizer/batch_norm_folding.h"

#include "tools/import/onnx/onnx_attributes.h"
#include "tools/import/onnx/onnx_nodes.h"

#include <cmath>

namespace nnrt::import::onnx {
namespace {

using onnx_file::NodeProto;

void add_constant(onnx_file::GraphProto& graph, const std::string& name, const FloatConstant& constant) {
  onnx_file::TensorProto& made = *graph.add_initializer();
  made.set_name(name);
  for (const int64_t length : constant.shape) made.add_dims(length);
  set_floats(made, constant.values);
}

}  // namespace

std::optional<BatchNormFolding::Factors> BatchNormFolding::factors_of(const NodeProto& norm) const {
  constexpr int kInputs = 5;
  if (norm.input_size() != kInputs || Attributes(norm).integer("training_mode", 0) != 0) return {};
  const auto gamma = read_(norm.input(1)), beta = read_(norm.input(2)), mean = read_(norm.input(3)),
             variance = read_(norm.input(4));
  if (!gamma || !beta || !mean || !variance) return {};
  const size_t count = gamma->values.size();
  if (beta->values.size() != count || mean->values.size() != count || variance->values.size() != count)
    return {};
  const float epsilon = Attributes(norm).real("epsilon", 1e-5f);
  Factors factors;
  for (size_t i = 0; i < count; ++i) {
    factors.scale.push_back(gamma->values[i] / std::sqrt(variance->values[i] + epsilon));
    factors.shift.push_back(beta->values[i] - mean->values[i] * factors.scale[i]);
  }
  return factors;
}

bool BatchNormFolding::fold(NodeProto& conv, const Factors& factors) {
  const size_t channels = factors.scale.size();
  const bool has_bias = conv.input_size() > 2 && !conv.input(2).empty();
  auto weights = read_(conv.input(1));
  auto bias = has_bias ? read_(conv.input(2))
                       : FloatConstant{{static_cast<int64_t>(channels)}, std::vector<float>(channels, 0)};
  if (!weights || !bias || weights->shape.empty() || channels == 0 || bias->values.size() != channels ||
      weights->shape[0] != static_cast<int64_t>(channels))
    return false;
  const size_t inner = weights->values.size() / channels;
  for (size_t i = 0; i < weights->values.size(); ++i) weights->values[i] *= factors.scale[i / inner];
  for (size_t i = 0; i < channels; ++i)
    bias->values[i] = bias->values[i] * factors.scale[i] + factors.shift[i];
  // Other nodes may read the original constants. The output's name is unique.
  const std::string prefix = conv.output(0);
  add_constant(graph_, prefix + "_folded_weight", *weights);
  add_constant(graph_, prefix + "_folded_bias", *bias);
  conv.set_input(1, prefix + "_folded_weight");
  if (conv.input_size() > 2)
    conv.set_input(2, prefix + "_folded_bias");
  else
    conv.add_input(prefix + "_folded_bias");
  return true;
}

Status BatchNormFolding::run() {
  std::unordered_map<std::string, int> norms;  // by the convolution's output
  {
    NNRT_ASSIGN(const Nodes nodes, Nodes::read(graph_));
    for (int i = 0; i < graph_.node_size(); ++i) {
      const NodeProto& conv = graph_.node(i);
      if (conv.op_type() != "Conv" || conv.input_size() < 2) continue;
      const int reader = nodes.only_reader(conv.output(0));
      if (reader >= 0 && graph_.node(reader).op_type() == "BatchNormalization" &&
          graph_.node(reader).output_size() == 1 && graph_.node(reader).input(0) == conv.output(0))
        norms.emplace(conv.output(0), reader);
    }
  }
  for (NodeProto& conv : *graph_.mutable_node()) {
    const auto found = conv.output_size() == 1 ? norms.find(conv.output(0)) : norms.end();
    if (found == norms.end()) continue;
    NodeProto& norm = *graph_.mutable_node(found->second);
    const auto factors = factors_of(norm);
    if (!factors || !fold(conv, *factors)) continue;
    // The norm has no readers any more; the next sort drops it.
    const std::string output = norm.output(0);
    norm.set_output(0, output + "_unfolded");
    conv.set_output(0, output);
  }
  return {};
}

}  // namespace nnrt::import::onnx
