#include "tools/import/onnx/quantizer/qdq_writer.h"

#include "tools/import/onnx/quantizer/constant_nodes.h"

#include <algorithm>

namespace nnrt::import::onnx {
namespace {

using onnx_file::NodeProto;
using onnx_file::TensorProto;

constexpr int64_t kScalesOfChannels = 13;  // first opset with per-channel DequantizeLinear
constexpr const char* kMicrosoft = "com.microsoft";
constexpr int32_t kIntegerAttribute = 2;  // as in AttributeProto.AttributeType

}  // namespace

QdqWriter::QdqWriter(const PreparedGraph& graph, const FloatGraph& nodes, const QuantizationPlan& plan,
                     const CodingOf& coding_of)
    : graph_(graph), floats_(nodes), plan_(plan), coding_of_(coding_of), model_(graph.model()) {
  for (const QuantizableNode& node : plan.nodes) by_position_.emplace(node.position, &node);
}

std::string QdqWriter::new_name(const std::string& wanted) {
  std::string name = wanted;
  while (!names_.insert(name).second) name += '_';
  return name;
}

// A model output keeps its name where it is dequantized; other values keep it before quantization.
void QdqWriter::choose_names() {
  const auto& graph = graph_.graph();
  for (const auto& input : graph.input()) names_.insert(input.name());
  for (const TensorProto& tensor : graph.initializer()) names_.insert(tensor.name());
  std::vector<std::string> values;
  for (const auto& input : graph.input()) values.push_back(input.name());
  for (const NodeProto& node : graph.node()) {
    names_.insert(node.output().begin(), node.output().end());
    values.insert(values.end(), node.output().begin(), node.output().end());
  }
  const auto inputs = static_cast<size_t>(graph.input_size());
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& value = values[i];
    if (!plan_.sources.contains(value)) continue;
    const bool is_output = i >= inputs && std::ranges::any_of(graph.output(), [&](const auto& output) {
                             return output.name() == value;
                           });
    plain_.emplace(value, is_output ? new_name(value + "_float") : value);
    dequantized_.emplace(value, is_output ? value : new_name(value + "_dequantized"));
  }
}

TensorProto& QdqWriter::add_initializer(const std::string& name, int32_t type,
                                        const std::vector<int64_t>& shape, const void* bytes, size_t size) {
  TensorProto& made = *model_.mutable_graph()->add_initializer();
  made.set_name(name);
  made.set_data_type(type);
  for (const int64_t length : shape) made.add_dims(length);
  made.set_raw_data(bytes, size);
  return made;
}

NodeProto& QdqWriter::add_linear(const char* type, std::vector<std::string> inputs, const std::string& output,
                                 std::optional<size_t> axis) {
  NodeProto& made = nodes_.add();
  made.set_op_type(type);
  made.set_name(new_name(output + (type[0] == 'Q' ? "_QuantizeLinear" : "_DequantizeLinear")));
  for (std::string& input : inputs) made.add_input(std::move(input));
  made.add_output(output);
  if (axis) {
    auto& attribute = *made.add_attribute();
    attribute.set_name("axis");
    attribute.set_type(kIntegerAttribute);
    attribute.set_i(static_cast<int64_t>(*axis));
  }
  if (graph_.opset() < kScalesOfChannels) made.set_domain(kMicrosoft);
  return made;
}

std::vector<std::string> QdqWriter::write_coding(const std::string& source) {
  const auto [found, is_new] = codings_.try_emplace(source);
  if (!is_new) return found->second;
  const Int8Coding coding = coding_of_(source);
  found->second = {new_name(source + "_scale"), new_name(source + "_zero_point")};
  add_initializer(found->second[0], kFloat32Type, {}, &coding.scale, sizeof coding.scale);
  add_initializer(found->second[1], kInt8Type, {}, &coding.zero_point, sizeof coding.zero_point);
  return found->second;
}

void QdqWriter::write_pair(const std::string& value) {
  if (!plan_.sources.contains(value)) return;
  const std::vector<std::string> coding = write_coding(plan_.sources.at(value));
  const std::string quantized = new_name(value + "_quantized");
  add_linear("QuantizeLinear", {plain_.at(value), coding[0], coding[1]}, quantized);
  add_linear("DequantizeLinear", {quantized, coding[0], coding[1]}, dequantized_.at(value));
}

std::string QdqWriter::write_constant_operand(const std::string& name) {
  const auto [found, is_new] = constant_operands_.try_emplace(name);
  if (!is_new) return found->second;
  const FloatConstant constant = *graph_.floats(name);
  const Int8Coding coding = import::coding_of(constant.values);
  const std::vector<int8_t> values = coded_values(constant.values, coding);
  const std::string quantized = new_name(name + "_quantized"), scale = new_name(name + "_scale"),
                    zero_point = new_name(name + "_zero_point");
  add_initializer(quantized, kInt8Type, constant.shape, values.data(), values.size());
  add_initializer(scale, kFloat32Type, {}, &coding.scale, sizeof coding.scale);
  add_initializer(zero_point, kInt8Type, {}, &coding.zero_point, sizeof coding.zero_point);
  found->second = new_name(name + "_dequantized");
  add_linear("DequantizeLinear", {quantized, scale, zero_point}, found->second);
  return found->second;
}

void QdqWriter::write_weights(const QuantizableNode& node, NodeProto& written) {
  const FloatConstant weights = *graph_.floats(written.input(1));
  const std::optional<size_t> axis = floats_.nodes[node.position].channel_axis;
  const bool has_bias = written.input_size() > 2 && !written.input(2).empty();
  FloatConstant bias = has_bias ? *graph_.floats(written.input(2)) : FloatConstant();
  const float input_scale = coding_of_(plan_.sources.at(node.operands[0])).scale;
  const size_t channels = axis ? static_cast<size_t>(weights.shape[*axis]) : bias.values.size();
  if (bias.values.size() == 1) bias.values.resize(channels, bias.values[0]);
  const CodedConstant coded = coded_weights(weights, axis, bias.values, input_scale);

  const std::string prefix = written.output(0) + "_weight";
  const std::vector<int64_t> length =
      axis ? std::vector<int64_t>{static_cast<int64_t>(coded.scales.size())} : std::vector<int64_t>{};
  const std::vector<int8_t> zeros(coded.scales.size(), 0);
  const std::vector<std::string> inputs{new_name(prefix + "_quantized"), new_name(prefix + "_scale"),
                                        new_name(prefix + "_zero_point")};
  add_initializer(inputs[0], kInt8Type, weights.shape, coded.values.data(), coded.values.size());
  add_initializer(inputs[1], kFloat32Type, length, coded.scales.data(), coded.scales.size() * sizeof(float));
  add_initializer(inputs[2], kInt8Type, length, zeros.data(), zeros.size());
  written.set_input(1, new_name(prefix + "_dequantized"));
  add_linear("DequantizeLinear", inputs, written.input(1), axis);
  if (has_bias) write_bias(bias.values, coded.scales, input_scale, axis.has_value(), written);
}

void QdqWriter::write_bias(const std::vector<float>& bias, std::vector<float> scales, float input_scale,
                           bool has_axis, NodeProto& written) {
  const std::vector<int64_t> length =
      has_axis ? std::vector<int64_t>{static_cast<int64_t>(scales.size())} : std::vector<int64_t>{};
  const std::string name = written.output(0) + "_bias";
  const std::vector<int32_t> steps = coded_bias(bias, scales, input_scale);
  for (float& scale : scales) scale *= input_scale;
  const std::string quantized = new_name(name + "_quantized"), scale = new_name(name + "_scale");
  add_initializer(quantized, kInt32Type, {static_cast<int64_t>(steps.size())}, steps.data(),
                  steps.size() * sizeof(int32_t));
  add_initializer(scale, kFloat32Type, length, scales.data(), scales.size() * sizeof(float));
  written.set_input(2, new_name(name + "_dequantized"));
  add_linear("DequantizeLinear", {quantized, scale}, written.input(2),
             has_axis ? std::optional<size_t>(0) : std::nullopt);
}

void QdqWriter::write_constants(const QuantizableNode& node, NodeProto& written) {
  if (node.kind == NodeKind::weighted) return write_weights(node, written);
  for (size_t i = 0; i < node.input_count; ++i) {
    std::string& input = *written.mutable_input(static_cast<int>(i));
    if (graph_.is_constant(input)) input = write_constant_operand(input);
  }
}

void QdqWriter::write_node(int position) {
  NodeProto written = graph_.graph().node(position);
  const auto quantized = by_position_.find(static_cast<size_t>(position));
  for (std::string& input : *written.mutable_input()) {
    if (const auto found = dequantized_.find(input); found != dequantized_.end()) input = found->second;
  }
  if (quantized != by_position_.end()) write_constants(*quantized->second, written);
  for (std::string& output : *written.mutable_output()) {
    if (const auto found = plain_.find(output); found != plain_.end()) output = found->second;
  }
  nodes_.add() = std::move(written);
  for (const std::string& output : graph_.graph().node(position).output()) write_pair(output);
}

const onnx_file::ModelProto& QdqWriter::write() {
  choose_names();
  for (const auto& input : graph_.graph().input()) write_pair(input.name());
  for (int i = 0; i < graph_.graph().node_size(); ++i) write_node(i);
  model_.mutable_graph()->mutable_node()->swap(nodes_);
  remove_unread_constants(*model_.mutable_graph());
  const bool is_known = std::ranges::any_of(
      model_.opset_import(), [](const onnx_file::OperatorSet& set) { return set.domain() == kMicrosoft; });
  if (graph_.opset() < kScalesOfChannels && !is_known) {
    auto& set = *model_.add_opset_import();
    set.set_domain(kMicrosoft);
    set.set_version(1);
  }
  return model_;
}

}  // namespace nnrt::import::onnx
