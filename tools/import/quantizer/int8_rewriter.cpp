#include "tools/import/quantizer/int8_rewriter.h"

#include "core/base/bytes_of.h"
#include "core/writer/settings.h"

#include <algorithm>
#include <unordered_map>

namespace nnrt::import {
namespace {

// [rows, columns] to [columns, rows].
std::vector<int8_t> transposed(const std::vector<int8_t>& values, size_t columns) {
  const size_t rows = values.size() / columns;
  std::vector<int8_t> made(values.size());
  for (size_t i = 0; i < values.size(); ++i) made[i % columns * rows + i / columns] = values[i];
  return made;
}

bool is_matmul(const Operation& operation) { return operation.type == Op::matmul; }

bool has_rows(const Operation& matmul) { return !matmul.attributes.is_set(Attr::transpose_b); }

// MATMUL has no scales per channel.
void make_full_connection(Operation& matmul) {
  Settings settings{{Attr::axis, -1}};
  if (matmul.attributes.has(Attr::activation))
    settings.push_back({Attr::activation, matmul.attributes.integer(Attr::activation)});
  matmul.type = Op::full_connection;
  matmul.attributes = required(attrs_of(matmul.type, settings));
}

class Rewriter {
 public:
  Rewriter(const QuantizableModel& model, const QuantizationPlan& plan, const CodingOf& coding_of)
      : model_(model), plan_(plan), coding_of_(coding_of), made_(model.network), reads_(model.reads()) {
    for (const QuantizableNode& node : plan.nodes) by_position_.emplace(node.position, &node);
    choose_tensors();
  }

  RewrittenNetwork rewrite() {
    const List<Operation> operations = std::move(made_.operations);
    made_.operations.clear();
    for (const TensorId input : made_.inputs)
      if (const auto found = quantized_.find(input); found != quantized_.end())
        add_conversion(found->first, found->second);
    for (size_t i = 0; i < operations.size(); ++i) rewrite_operation(i, operations[i]);
    return {std::move(made_), std::move(quantized_)};
  }

 private:
  TensorId copy(TensorId tensor, const std::string& suffix) {
    Tensor copy = made_.tensors[tensor];
    copy.name += suffix;
    made_.tensors.push_back(std::move(copy));
    return static_cast<TensorId>(made_.tensors.size()) - 1;
  }

  void set_coding(TensorId tensor, const Int8Coding& coding) {
    made_.tensors[tensor].type = OH_NN_INT8;
    made_.tensors[tensor].quantization = {{static_cast<double>(coding.scale)}, {coding.zero_point}};
  }

  void add_conversion(TensorId from, TensorId to) {
    Operation cast;
    cast.type = Op::quant_dtype_cast;
    cast.inputs = {from};
    cast.outputs = {to};
    cast.attributes = required(attrs_of(cast.type, {{Attr::source_type, made_.tensors[from].type},
                                                    {Attr::target_type, made_.tensors[to].type}}));
    cast.origin = "conversion of " + made_.tensors[from].name;
    made_.operations.push_back(std::move(cast));
  }

  // Model inputs and outputs, and values that unchanged nodes read or write.
  std::unordered_set<TensorId> float_uses() const {
    const Network& network = model_.network;
    std::unordered_set<TensorId> uses(network.inputs.begin(), network.inputs.end());
    uses.insert(network.outputs.begin(), network.outputs.end());
    for (size_t i = 0; i < network.operations.size(); ++i) {
      if (by_position_.contains(i)) continue;
      uses.insert(network.operations[i].inputs.begin(), network.operations[i].inputs.end());
      uses.insert(network.operations[i].outputs.begin(), network.operations[i].outputs.end());
    }
    return uses;
  }

  // A tensor not needed as float becomes the quantized one, keeping name and number.
  void choose_tensors() {
    const std::unordered_set<TensorId> as_float = float_uses();
    for (const auto& [value, source] : plan_.sources) quantized_.emplace(value, value);
    for (auto& [from, to] : quantized_) {
      if (as_float.contains(from)) to = copy(from, "_int8");
      set_coding(to, coding_of(from));
    }
  }

  // The tensor that becomes the quantized constant: the same one if nothing else reads it.
  Tensor& replace_constant(TensorId& tensor, ByteView data, OH_NN_DataType type) {
    if (reads_.at(tensor) != 1) tensor = copy(tensor, "_int8");
    Tensor& made = made_.tensors[tensor];
    made.data = std::make_shared<const Bytes>(bytes_of(data));
    made.type = type;
    return made;
  }

  void rewrite_weights(const FloatNode& node, Operation& operation, float input_scale) {
    List<TensorId>& inputs = operation.inputs;
    const bool has_bias = kBias < inputs.size();
    const std::vector<float> bias = has_bias ? model_.floats(inputs[kBias])->values : std::vector<float>();
    CodedConstant coded =
        coded_weights(*model_.floats(inputs[kWeights]), node.channel_axis, bias, input_scale);
    const std::vector<int32_t> steps = coded_bias(bias, coded.scales, input_scale);
    const bool turns = is_matmul(operation) && has_rows(operation);
    if (turns) coded.values = transposed(coded.values, static_cast<size_t>(node.channels));
    if (is_matmul(operation)) make_full_connection(operation);
    Tensor& weights = replace_constant(inputs[kWeights], std::as_bytes(std::span(coded.values)), OH_NN_INT8);
    if (turns) std::swap(weights.shape[0], weights.shape[1]);
    weights.quantization.scales.assign(coded.scales.begin(), coded.scales.end());
    weights.quantization.zero_points.assign(coded.scales.size(), 0);
    if (has_bias) replace_constant(inputs[kBias], std::as_bytes(std::span(steps)), OH_NN_INT32);
  }

  // The INT8 operand, with the result's coding if the operator requires a single one.
  TensorId operand(const Int8Form& form, const QuantizableNode& node, TensorId value) {
    const Int8Coding result = coding_of(node.result);
    if (model_.is_constant(value)) {
      const FloatConstant constant = *model_.floats(value);
      const Int8Coding coding = form.has_one_scale ? result : import::coding_of(constant.values);
      const std::vector<int8_t> values = coded_values(constant.values, coding);
      replace_constant(value, std::as_bytes(std::span(values)), OH_NN_INT8);
      set_coding(value, coding);
      return value;
    }
    const TensorId given = quantized_.at(value);
    if (!form.has_one_scale || coding_of(value) == result) return given;
    const TensorId made = copy(given, "_requantized");
    set_coding(made, result);
    add_conversion(given, made);
    return made;
  }

  void rewrite_operation(size_t position, Operation operation) {
    const FloatNode& node = model_.nodes[position];
    const auto found = by_position_.find(position);
    const bool is_quantized = found != by_position_.end();
    const List<TensorId> results = operation.outputs;
    if (is_quantized) {
      const QuantizableNode& planned = *found->second;
      if (planned.kind == NodeKind::weighted)
        rewrite_weights(node, operation, coding_of(operation.inputs[0]).scale);
      for (size_t i = 0; i < planned.input_count; ++i)
        operation.inputs[i] = operand(*node.form, planned, model_.operation(position).inputs[i]);
      operation.outputs[0] = quantized_.at(results[0]);
    }
    made_.operations.push_back(std::move(operation));
    for (const TensorId result : results) {
      const auto made = quantized_.find(result);
      if (made == quantized_.end() || made->second == made->first) continue;
      if (is_quantized) {
        add_conversion(made->second, made->first);
      } else {
        add_conversion(made->first, made->second);
      }
    }
  }

  Int8Coding coding_of(TensorId tensor) const { return coding_of_(plan_.sources.at(tensor)); }

  const QuantizableModel& model_;
  const QuantizationPlan& plan_;
  const CodingOf& coding_of_;
  Network made_;
  const std::vector<size_t> reads_;
  std::unordered_map<size_t, const QuantizableNode*> by_position_;
  std::map<TensorId, TensorId> quantized_;  // by tensor of the float network
};

}  // namespace

RewrittenNetwork rewrite_int8(const QuantizableModel& model, const QuantizationPlan& plan,
                              const CodingOf& coding_of) {
  return Rewriter(model, plan, coding_of).rewrite();
}

}  // namespace nnrt::import
