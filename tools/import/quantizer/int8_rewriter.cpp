#include "tools/import/quantizer/int8_rewriter.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace nnrt::import {
namespace {

using Tensors = Int8File::Tensors;

size_t number_of(const std::string& value) {
  return tensor_of(value, std::numeric_limits<size_t>::max()).value_or(0);
}

Tensors numbers_of(const std::vector<std::string>& values) {
  Tensors numbers;
  for (const std::string& value : values)
    numbers.push_back(value.empty() ? std::nullopt : std::optional(number_of(value)));
  return numbers;
}

class Rewriter {
 public:
  Rewriter(const QuantizableModel& model, const QuantizationPlan& plan, const CodingOf& coding_of,
           Int8File& file)
      : model_(model), plan_(plan), coding_of_(coding_of), file_(file), reads_(reads_of(model.graph())) {
    for (const QuantizableNode& node : plan.nodes) by_position_.emplace(node.position, &node);
    choose_tensors();
  }

  void write() {
    const FloatGraph& graph = model_.graph();
    for (const std::string& input : graph.inputs)
      if (const auto found = quantized_.find(number_of(input)); found != quantized_.end())
        file_.add_conversion(found->first, found->second);
    for (size_t i = 0; i < graph.nodes.size(); ++i) write_node(i, graph.nodes[i]);
  }

  std::unordered_map<std::string, std::string> quantized() const {
    std::unordered_map<std::string, std::string> names;
    for (const auto& [from, to] : quantized_) names.emplace(value_name(from), value_name(to));
    return names;
  }

 private:
  // Model inputs and outputs, and values that unchanged nodes read or write.
  std::unordered_set<std::string> float_uses() const {
    const FloatGraph& graph = model_.graph();
    std::unordered_set<std::string> uses(graph.inputs.begin(), graph.inputs.end());
    uses.insert(graph.outputs.begin(), graph.outputs.end());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      if (by_position_.contains(i)) continue;
      uses.insert(graph.nodes[i].inputs.begin(), graph.nodes[i].inputs.end());
      uses.insert(graph.nodes[i].outputs.begin(), graph.nodes[i].outputs.end());
    }
    return uses;
  }

  // A tensor not needed as float becomes the quantized one, keeping name and number.
  void choose_tensors() {
    const std::unordered_set<std::string> as_float = float_uses();
    for (const auto& [value, source] : plan_.sources) quantized_.emplace(number_of(value), number_of(value));
    for (auto& [from, to] : quantized_) {
      if (as_float.contains(value_name(from))) to = file_.copy(from, "_int8");
      file_.set_coding(to, coding_of(from));
    }
  }

  // The tensor that becomes the quantized constant: the same one if nothing else reads it.
  size_t replace_constant(size_t tensor, const CodedTensor& coded) {
    const size_t made = reads_.at(value_name(tensor)) == 1 ? tensor : file_.copy(tensor, "_int8");
    file_.set_constant(made, coded);
    return made;
  }

  void write_weights(const FloatNode& node, Tensors& inputs, float input_scale) {
    const bool has_bias = node.bias < inputs.size() && inputs[node.bias];
    const std::vector<float> bias =
        has_bias ? model_.floats(node.inputs[node.bias])->values : std::vector<float>();
    CodedConstant coded =
        coded_weights(*model_.floats(node.inputs[node.weights]), node.channel_axis, bias, input_scale);
    const std::vector<int32_t> steps = coded_bias(bias, coded.scales, input_scale);
    inputs[node.weights] =
        replace_constant(*inputs[node.weights], {.data = std::as_bytes(std::span(coded.values)),
                                                 .scales = coded.scales,
                                                 .axis = node.channel_axis.value_or(0)});
    if (!has_bias) return;
    for (float& scale : coded.scales) scale *= input_scale;
    inputs[node.bias] = replace_constant(
        *inputs[node.bias],
        {.data = std::as_bytes(std::span(steps)), .is_bias = true, .scales = std::move(coded.scales)});
  }

  // The INT8 operand, with the result's coding if the operator requires a single one.
  size_t operand(const Int8Form& form, const QuantizableNode& node, const std::string& value) {
    const Int8Coding result = coding_of(number_of(node.result));
    if (model_.is_constant(value)) {
      const FloatConstant constant = *model_.floats(value);
      const Int8Coding coding = form.has_one_scale ? result : import::coding_of(constant.values);
      const std::vector<int8_t> values = coded_values(constant.values, coding);
      return replace_constant(number_of(value), {.data = std::as_bytes(std::span(values)),
                                                 .scales = {coding.scale},
                                                 .zero_point = coding.zero_point});
    }
    const size_t given = quantized_.at(number_of(value));
    if (!form.has_one_scale || coding_of(number_of(value)) == result) return given;
    const size_t made = file_.copy(given, "_requantized");
    file_.set_coding(made, result);
    file_.add_conversion(given, made);
    return made;
  }

  void write_node(size_t position, const FloatNode& node) {
    Tensors inputs = numbers_of(node.inputs), outputs = numbers_of(node.outputs);
    const auto found = by_position_.find(position);
    const bool is_quantized = found != by_position_.end();
    if (is_quantized) {
      const QuantizableNode& planned = *found->second;
      if (planned.kind == NodeKind::weighted)
        write_weights(node, inputs, coding_of(*inputs[node.first]).scale);
      for (size_t i = node.first; i < node.first + planned.input_count; ++i)
        inputs[i] = operand(*node.form, planned, node.inputs[i]);
      outputs[0] = quantized_.at(*outputs[0]);
    }
    file_.add_node(position, inputs, outputs, is_quantized);
    for (const std::string& output : node.outputs) {
      const auto made = output.empty() ? quantized_.end() : quantized_.find(number_of(output));
      if (made == quantized_.end() || made->second == made->first) continue;
      if (is_quantized) {
        file_.add_conversion(made->second, made->first);
      } else {
        file_.add_conversion(made->first, made->second);
      }
    }
  }

  Int8Coding coding_of(size_t tensor) const { return coding_of_(plan_.sources.at(value_name(tensor))); }

  const QuantizableModel& model_;
  const QuantizationPlan& plan_;
  const CodingOf& coding_of_;
  Int8File& file_;
  const std::unordered_map<std::string, size_t> reads_;
  std::unordered_map<size_t, const QuantizableNode*> by_position_;
  std::map<size_t, size_t> quantized_;  // by tensor of the float model
};

}  // namespace

std::string value_name(size_t tensor) { return std::to_string(tensor); }

std::optional<size_t> tensor_of(const std::string& value, size_t count) {
  size_t number = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc() || end != value.data() + value.size() || number >= count) return {};
  return number;
}

std::unordered_map<std::string, std::string> write_int8(const QuantizableModel& model,
                                                        const QuantizationPlan& plan,
                                                        const CodingOf& coding_of, Int8File& file) {
  Rewriter rewriter(model, plan, coding_of, file);
  rewriter.write();
  return rewriter.quantized();
}

}  // namespace nnrt::import
