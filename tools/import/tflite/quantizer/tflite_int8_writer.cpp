#include "tools/import/tflite/quantizer/tflite_int8_writer.h"

#include <algorithm>

namespace nnrt::import::tflite {

using format::BuiltinOperator;
using format::TensorType;

Int8Writer::Int8Writer(const FloatModel& model, const QuantizationPlan& plan, CodingOf coding_of)
    : model_(model), plan_(plan), coding_of_(std::move(coding_of)), written_(model.model()) {
  for (const QuantizableNode& node : plan.nodes) by_position_.emplace(node.position, &node);
  for (const auto& op : model.graph().operators) {
    for (const int32_t number : op->inputs) ++readers_[number];
  }
  find_float_uses();
  choose_tensors();
}

// Model inputs and outputs, and values that unchanged operators read or write.
void Int8Writer::find_float_uses() {
  const auto add = [&](const std::vector<int32_t>& numbers) {
    float_uses_.insert(numbers.begin(), numbers.end());
  };
  add(graph().inputs);
  add(graph().outputs);
  for (size_t i = 0; i < graph().operators.size(); ++i) {
    if (by_position_.contains(static_cast<int>(i))) continue;
    add(graph().operators[i]->inputs);
    add(graph().operators[i]->outputs);
  }
}

// A tensor not needed as float becomes the quantized one, keeping name and number.
void Int8Writer::choose_tensors() {
  const auto count = static_cast<int32_t>(graph().tensors.size());
  for (int32_t number = 0; number < count; ++number) {
    if (!plan_.sources.contains(value_name(number))) continue;
    const int32_t made = float_uses_.contains(number) ? add_copy(number, "_int8") : number;
    set_coding(made, coding_of(number));
    quantized_.emplace(number, made);
  }
}

int32_t Int8Writer::add_copy(int32_t number, const std::string& suffix) {
  auto copy = std::make_unique<format::TensorT>(tensor(number));
  copy->name += suffix;
  graph().tensors.push_back(std::move(copy));
  return static_cast<int32_t>(graph().tensors.size()) - 1;
}

void Int8Writer::set_coding(int32_t number, std::vector<float> scales, std::vector<int64_t> zero_points,
                            size_t axis) {
  auto quantization = std::make_unique<format::QuantizationParametersT>();
  quantization->scale = std::move(scales);
  quantization->zero_point = std::move(zero_points);
  quantization->quantized_dimension = static_cast<int32_t>(axis);
  tensor(number).quantization = std::move(quantization);
}

void Int8Writer::set_coding(int32_t number, const Int8Coding& coding) {
  tensor(number).type = TensorType::INT8;
  set_coding(number, {coding.scale}, {coding.zero_point}, 0);
}

uint32_t Int8Writer::code_number(BuiltinOperator code, int32_t version) {
  auto& numbers = written_.operator_numbers;
  constexpr int32_t kLastNarrow = 127;
  const auto number = static_cast<int32_t>(code);
  const auto found = std::ranges::find_if(numbers, [&](const auto& it) {
    return std::max<int32_t>(it->narrow_builtin_code, it->builtin_code) == number;
  });
  if (found != numbers.end()) {
    (*found)->version = std::max((*found)->version, version);
    return static_cast<uint32_t>(found - numbers.begin());
  }
  auto made = std::make_unique<format::OperatorCodeT>();
  made->narrow_builtin_code = static_cast<int8_t>(std::min(number, kLastNarrow));
  made->builtin_code = number;
  made->version = version;
  numbers.push_back(std::move(made));
  return static_cast<uint32_t>(numbers.size()) - 1;
}

void Int8Writer::write_conversion(BuiltinOperator code, int32_t from, int32_t to) {
  auto op = std::make_unique<format::OperatorT>();
  op->opcode_index = code_number(code, code == BuiltinOperator::DEQUANTIZE ? 2 : 1);
  op->inputs = {from};
  op->outputs = {to};
  operators_.push_back(std::move(op));
}

int32_t Int8Writer::replace_constant(int32_t number, TensorType type, const void* data, size_t size) {
  const int32_t made =
      readers_[number] == 1 && std::ranges::find(graph().outputs, number) == graph().outputs.end()
          ? number
          : add_copy(number, "_int8");
  auto buffer = std::make_unique<format::BufferT>();
  const auto* bytes = static_cast<const uint8_t*>(data);
  buffer->data.assign(bytes, bytes + size);
  tensor(made).type = type;
  tensor(made).buffer = static_cast<uint32_t>(written_.buffers.size());
  written_.buffers.push_back(std::move(buffer));
  return made;
}

void Int8Writer::write_weights(const Int8Operator& row, format::OperatorT& op, float input_scale) {
  const size_t bias_at = bias_input(row);
  const bool has_bias = bias_at < op.inputs.size() && op.inputs[bias_at] >= 0;
  const std::vector<float> bias = has_bias ? model_.floats(op.inputs[bias_at]).values : std::vector<float>();
  const CodedConstant coded =
      coded_weights(model_.floats(op.inputs[kWeights]), row.channel_axis, bias, input_scale);
  const std::vector<int64_t> zeros(coded.scales.size(), 0);
  op.inputs[kWeights] =
      replace_constant(op.inputs[kWeights], TensorType::INT8, coded.values.data(), coded.values.size());
  set_coding(op.inputs[kWeights], coded.scales, zeros, row.channel_axis);
  if (!has_bias) return;
  const std::vector<int32_t> steps = coded_bias(bias, coded.scales, input_scale);
  std::vector<float> scales = coded.scales;
  for (float& scale : scales) scale *= input_scale;
  op.inputs[bias_at] =
      replace_constant(op.inputs[bias_at], TensorType::INT32, steps.data(), steps.size() * sizeof(int32_t));
  set_coding(op.inputs[bias_at], std::move(scales), zeros, 0);
}

// The INT8 operand, with the result's coding if the operator requires a single one.
int32_t Int8Writer::write_operand(const Int8Operator& row, const QuantizableNode& node, int32_t number) {
  const Int8Coding result = coding_of(tensor_of(node.result));
  if (model_.is_constant(number)) {
    const FloatConstant constant = model_.floats(number);
    const Int8Coding coding = row.has_one_scale ? result : import::coding_of(constant.values);
    const std::vector<int8_t> values = coded_values(constant.values, coding);
    const int32_t made = replace_constant(number, TensorType::INT8, values.data(), values.size());
    set_coding(made, coding);
    return made;
  }
  const int32_t given = quantized_.at(number);
  if (!row.has_one_scale || coding_of(number) == result) return given;
  const int32_t made = add_copy(given, "_requantized");
  set_coding(made, result);
  write_conversion(BuiltinOperator::QUANTIZE, given, made);
  return made;
}

void Int8Writer::write_quantized(const QuantizableNode& node, format::OperatorT& op) {
  const Int8Operator& row = *find_int8_operator(model_.code_of(op));
  const int32_t operand = op.inputs[row.first];
  if (row.kind == NodeKind::weighted) write_weights(row, op, coding_of(operand).scale);
  for (size_t i = row.first; i < row.first + node.input_count; ++i)
    op.inputs[i] = write_operand(row, node, op.inputs[i]);
  op.outputs[0] = quantized_.at(op.outputs[0]);
  auto& version = written_.operator_numbers[op.opcode_index]->version;
  version = std::max(version, row.version);
}

void Int8Writer::write_operator(size_t position) {
  auto op = std::make_unique<format::OperatorT>(model_.operator_at(position));
  const std::vector<int32_t> results = op->outputs;
  const auto node = by_position_.find(static_cast<int>(position));
  const bool computes_on_int8 = node != by_position_.end();
  if (computes_on_int8) write_quantized(*node->second, *op);
  operators_.push_back(std::move(op));
  for (const int32_t result : results) {
    if (!is_quantized(result) || quantized_.at(result) == result) continue;
    if (computes_on_int8) {
      write_conversion(BuiltinOperator::DEQUANTIZE, quantized_.at(result), result);
    } else {
      write_conversion(BuiltinOperator::QUANTIZE, result, quantized_.at(result));
    }
  }
}

// Buffer numbers stay; float data replaced by INT8 is cleared.
void Int8Writer::clear_unread_buffers() {
  std::vector<bool> is_read(written_.buffers.size(), false);
  const auto read = [&](uint32_t buffer) {
    if (buffer < is_read.size()) is_read[buffer] = true;
  };
  std::unordered_set<int32_t> used(graph().outputs.begin(), graph().outputs.end());
  for (const auto& op : graph().operators) used.insert(op->inputs.begin(), op->inputs.end());
  for (size_t i = 0; i < graph().tensors.size(); ++i) {
    format::TensorT& it = *graph().tensors[i];
    if (used.contains(static_cast<int32_t>(i))) {
      read(it.buffer);
    } else if (model_.model().buffers.size() > it.buffer &&
               !model_.model().buffers[it.buffer]->data.empty()) {
      it.buffer = 0;
    }
  }
  for (size_t i = 1; i < written_.subgraphs.size(); ++i) {
    for (const auto& it : written_.subgraphs[i]->tensors) read(it->buffer);
  }
  for (const auto& it : written_.metadata) read(it->buffer);
  for (const int32_t buffer : written_.metadata_buffer) read(static_cast<uint32_t>(buffer));
  for (size_t i = 0; i < is_read.size(); ++i) {
    if (!is_read[i]) written_.buffers[i]->data.clear();
  }
}

std::string Int8Writer::write() && {
  for (const int32_t input : graph().inputs) {
    if (is_quantized(input)) write_conversion(BuiltinOperator::QUANTIZE, input, quantized_.at(input));
  }
  for (size_t i = 0; i < model_.operator_count(); ++i) write_operator(i);
  graph().operators = std::move(operators_);
  clear_unread_buffers();
  return packed(written_);
}

}  // namespace nnrt::import::tflite
