#include "tools/import/tflite/quantizer/tflite_int8_writer.h"

#include <algorithm>
#include <unordered_set>

namespace nnrt::import::tflite {

using format::BuiltinOperator;
using format::TensorType;

namespace {

std::vector<int32_t> numbers_of(const Int8File::Tensors& tensors) {
  std::vector<int32_t> numbers;
  for (const auto& tensor : tensors) numbers.push_back(tensor ? static_cast<int32_t>(*tensor) : -1);
  return numbers;
}

}  // namespace

size_t Int8Writer::copy(size_t number, const std::string& suffix) {
  auto copy = std::make_unique<format::TensorT>(tensor(number));
  copy->name += suffix;
  graph().tensors.push_back(std::move(copy));
  return graph().tensors.size() - 1;
}

void Int8Writer::set_scales(size_t number, std::vector<float> scales, int8_t zero_point, size_t axis) {
  auto quantization = std::make_unique<format::QuantizationParametersT>();
  quantization->zero_point.assign(scales.size(), zero_point);
  quantization->scale = std::move(scales);
  quantization->quantized_dimension = static_cast<int32_t>(axis);
  tensor(number).quantization = std::move(quantization);
}

void Int8Writer::set_coding(size_t number, const Int8Coding& coding) {
  tensor(number).type = TensorType::INT8;
  set_scales(number, {coding.scale}, coding.zero_point, 0);
}

void Int8Writer::set_constant(size_t number, const CodedTensor& coded) {
  auto buffer = std::make_unique<format::BufferT>();
  const auto* bytes = reinterpret_cast<const uint8_t*>(coded.data.data());
  buffer->data.assign(bytes, bytes + coded.data.size());
  tensor(number).type = coded.is_bias ? TensorType::INT32 : TensorType::INT8;
  tensor(number).buffer = static_cast<uint32_t>(written_.buffers.size());
  written_.buffers.push_back(std::move(buffer));
  set_scales(number, coded.scales, coded.zero_point, coded.axis);
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

void Int8Writer::add_conversion(size_t from, size_t to) {
  const bool dequantizes = tensor(to).type == TensorType::FLOAT32;
  auto op = std::make_unique<format::OperatorT>();
  op->opcode_index =
      code_number(dequantizes ? BuiltinOperator::DEQUANTIZE : BuiltinOperator::QUANTIZE, dequantizes ? 2 : 1);
  op->inputs = {static_cast<int32_t>(from)};
  op->outputs = {static_cast<int32_t>(to)};
  operators_.push_back(std::move(op));
}

void Int8Writer::add_node(size_t position, const Tensors& inputs, const Tensors& outputs, bool is_quantized) {
  auto op = std::make_unique<format::OperatorT>(model_.operator_at(position));
  op->inputs = numbers_of(inputs);
  op->outputs = numbers_of(outputs);
  if (is_quantized) {
    auto& version = written_.operator_numbers[op->opcode_index]->version;
    version = std::max(version, find_int8_operator(model_.code_of(*op))->version);
  }
  operators_.push_back(std::move(op));
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

std::string Int8Writer::finish() && {
  graph().operators = std::move(operators_);
  clear_unread_buffers();
  return packed(written_);
}

}  // namespace nnrt::import::tflite
