#include "tests/frameworks/tflite/tiny_model.h"

#include <cstring>
#include <fstream>

namespace nnrt::test {

TinyModel::TinyModel() {
  model_.version = 3;
  model_.buffers.push_back(std::make_unique<tiny_format::BufferT>());
  begin_graph();
}

int32_t TinyModel::begin_graph() {
  model_.subgraphs.push_back(std::make_unique<tiny_format::SubGraphT>());
  current_ = model_.subgraphs.size() - 1;
  return static_cast<int32_t>(current_);
}

int32_t TinyModel::tensor(tiny_format::TensorType type, std::vector<int32_t> shape) {
  auto tensor = std::make_unique<tiny_format::TensorT>();
  tensor->name = "t" + std::to_string(graph().tensors.size());
  tensor->type = type;
  tensor->shape = std::move(shape);
  graph().tensors.push_back(std::move(tensor));
  return static_cast<int32_t>(graph().tensors.size() - 1);
}

int32_t TinyModel::constant(std::vector<int32_t> shape, const std::vector<float>& values) {
  const int32_t number = floats(std::move(shape));
  auto buffer = std::make_unique<tiny_format::BufferT>();
  buffer->data.resize(values.size() * sizeof(float));
  std::memcpy(buffer->data.data(), values.data(), buffer->data.size());
  graph().tensors.back()->buffer = static_cast<uint32_t>(model_.buffers.size());
  model_.buffers.push_back(std::move(buffer));
  return number;
}

int32_t TinyModel::variable(std::vector<int32_t> shape) {
  const int32_t number = floats(std::move(shape));
  graph().tensors.back()->is_variable = true;
  return number;
}

int32_t TinyModel::input(int32_t tensor) {
  graph().inputs.push_back(tensor);
  return tensor;
}

void TinyModel::add(tiny_format::BuiltinOperator code, std::vector<int32_t> inputs,
                    std::vector<int32_t> outputs, tiny_format::BuiltinOptionsUnion options) {
  auto number = std::make_unique<tiny_format::OperatorCodeT>();
  number->builtin_code = static_cast<int32_t>(code);
  number->narrow_builtin_code = static_cast<int8_t>(std::min(static_cast<int32_t>(code), 127));
  auto op = std::make_unique<tiny_format::OperatorT>();
  op->opcode_index = static_cast<uint32_t>(model_.operator_numbers.size());
  op->inputs = std::move(inputs);
  op->outputs = std::move(outputs);
  op->builtin_options = std::move(options);
  model_.operator_numbers.push_back(std::move(number));
  graph().operators.push_back(std::move(op));
}

std::string TinyModel::write(const std::string& path) const {
  flatbuffers::FlatBufferBuilder builder;
  tiny_format::FinishModelBuffer(builder, tiny_format::CreateModel(builder, &model_));
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(builder.GetBufferPointer()),
             static_cast<std::streamsize>(builder.GetSize()));
  return path;
}

}  // namespace nnrt::test
