#include "tools/import/tflite/quantizer/tflite_float_model.h"

#include "core/base/fp16.h"
#include "tools/import/network/budget.h"
#include "tools/import/network/network_check.h"
#include "tools/import/tflite/tflite_operators.h"
#include "tools/import/tflite/tflite_sparse.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::tflite {
namespace {

using format::TensorType;

bool is_quantized(const format::TensorT& tensor) {
  const bool is_integer = tensor.type != TensorType::FLOAT32 && tensor.type != TensorType::FLOAT16;
  return is_integer && tensor.quantization && !tensor.quantization->scale.empty();
}

// Checks that a constant has as many elements as its shape.
bool fits(const format::TensorT& tensor, size_t bytes) {
  size_t size = tensor.type == TensorType::INT8 ? 1 : tensor.type == TensorType::FLOAT16 ? 2 : 4;
  for (const int32_t length : tensor.shape) {
    if (length < 1 || size > bytes) return false;
    size *= static_cast<size_t>(length);
  }
  return size == bytes;
}

std::vector<float> from_fp16(const std::vector<uint8_t>& bytes) {
  std::vector<float> floats;
  for (size_t i = 0; i < bytes.size(); i += sizeof(Half)) {
    Half half{};
    std::memcpy(&half, bytes.data() + i, sizeof half);
    floats.push_back(to_float(half));
  }
  return floats;
}

// Empty if the number of scales or zero points is wrong.
std::vector<float> dequantized(const format::TensorT& tensor, const std::vector<uint8_t>& bytes) {
  const std::vector<float>& scales = tensor.quantization->scale;
  const std::vector<int64_t>& zeros = tensor.quantization->zero_point;
  const auto axis = static_cast<size_t>(std::max(tensor.quantization->quantized_dimension, 0));
  size_t inner = bytes.size();
  if (scales.size() > 1) {
    if (axis >= tensor.shape.size() || static_cast<size_t>(tensor.shape[axis]) != scales.size()) return {};
    inner = 1;
    for (size_t d = axis + 1; d < tensor.shape.size(); ++d) inner *= static_cast<size_t>(tensor.shape[d]);
  }
  if (zeros.size() > 1 && zeros.size() != scales.size()) return {};
  std::vector<float> floats;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t channel = i / inner % scales.size();
    const int64_t zero = zeros.empty() ? 0 : zeros[zeros.size() == 1 ? 0 : channel];
    floats.push_back(scales[channel] *
                     static_cast<float>(static_cast<int64_t>(static_cast<int8_t>(bytes[i])) - zero));
  }
  return floats;
}

}  // namespace

Result<FloatModel> FloatModel::read(const std::string& file) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  flatbuffers::Verifier verifier(bytes, file.size());
  if (file.size() < 8 || !format::VerifyModelBuffer(verifier))
    return Error{Code::invalid_file,
                 "The file is damaged, or it is not a TensorFlow Lite model of version 3."};
  FloatModel made;
  made.model_.reset(format::GetModel(bytes)->UnPack());
  NNRT_TRY(made.make_constants_dense(*format::GetModel(bytes), file.size()));
  NNRT_TRY(made.check_numbers());
  made.remove_densify();
  made.make_weights_float();
  NNRT_TRY(made.check_is_float());
  made.drop_unknown_options();
  return made;
}

Status FloatModel::make_constants_dense(const format::Model& file, size_t file_size) {
  if (model_->subgraphs.empty()) return {};
  ConstantBudget budget(file_size);
  std::vector<std::unique_ptr<format::TensorT>>& tensors = model_->subgraphs[0]->tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    format::TensorT& tensor = *tensors[i];
    if (tensor.sparsity == nullptr) continue;
    const bool is_byte = tensor.type == TensorType::INT8 || tensor.type == TensorType::UINT8;
    const size_t size = is_byte ? 1 : tensor.type == TensorType::FLOAT16 ? 2 : 4;
    const bool is_known = std::ranges::all_of(tensor.shape, [](int32_t length) { return length > 0; });
    if ((size == 4 && tensor.type != TensorType::FLOAT32) || tensor.buffer >= model_->buffers.size() ||
        !is_known)
      return Error{Code::unsupported, "Tensor (" + tensor.name + ") is sparse, but not a float constant."};
    NNRT_ASSIGN(const size_t count, element_count(tensor.shape));
    NNRT_TRY(budget.take(count > file_size * 64 ? ~size_t{0} : count * size));
    const auto stored = std::as_bytes(std::span(model_->buffers[tensor.buffer]->data));
    const auto& table = *(*(*file.subgraphs())[0]->tensors())[static_cast<flatbuffers::uoffset_t>(i)];
    NNRT_ASSIGN(const Bytes dense, dense_elements(*table.sparsity(), tensor.shape, stored, size));
    auto buffer = std::make_unique<format::BufferT>();
    const auto* from = reinterpret_cast<const uint8_t*>(dense.data());
    buffer->data.assign(from, from + dense.size());
    tensor.sparsity.reset();
    tensor.buffer = static_cast<uint32_t>(model_->buffers.size());
    model_->buffers.push_back(std::move(buffer));
  }
  return {};
}

// Its operand is already dense, and replaces its result.
void FloatModel::remove_densify() {
  auto& graph = *model_->subgraphs[0];
  std::erase_if(graph.operators, [&](const auto& op) {
    if (code_of(*op) != BuiltinOperator::DENSIFY || op->inputs.size() != 1 || op->outputs.size() != 1 ||
        !is_constant(op->inputs[0]))
      return false;
    const format::TensorT dense(tensor(op->inputs[0]));
    format::TensorT& made = *graph.tensors[static_cast<size_t>(op->outputs[0])];
    const std::string name = made.name;
    made = dense;
    made.name = name;
    return true;
  });
}

Status FloatModel::check_numbers() const {
  if (model_->subgraphs.empty()) return Error{Code::invalid_file, "The file has no graph."};
  const Error bad{Code::invalid_file,
                  "The file refers to a tensor, buffer or operator code that does not exist."};
  const auto count = static_cast<int32_t>(graph().tensors.size());
  const auto in_graph = [&](const std::vector<int32_t>& numbers, int32_t min) {
    return std::ranges::all_of(numbers, [&](int32_t number) { return number >= min && number < count; });
  };
  if (!in_graph(graph().inputs, 0) || !in_graph(graph().outputs, 0)) return bad;
  for (const auto& op : graph().operators) {
    if (!in_graph(op->inputs, -1) || !in_graph(op->outputs, 0) ||
        op->opcode_index >= model_->operator_numbers.size())
      return bad;
  }
  for (const auto& tensor : graph().tensors) {
    if (tensor->buffer >= model_->buffers.size()) return bad;
    const auto& data = model_->buffers[tensor->buffer]->data;
    if (tensor->type == TensorType::FLOAT32 && !data.empty() && !fits(*tensor, data.size())) return bad;
  }
  return {};
}

Status FloatModel::check_is_float() const {
  const auto found = std::ranges::find_if(graph().tensors, [](const auto& it) { return is_quantized(*it); });
  if (found == graph().tensors.end()) return {};
  return Error{Code::unsupported,
               "The model is already quantized: its tensor (" + (*found)->name + ") has a scale."};
}

void FloatModel::make_float(int32_t number, const format::TensorT& like, const std::vector<float>& values) {
  auto buffer = std::make_unique<format::BufferT>();
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  buffer->data.assign(bytes, bytes + values.size() * sizeof(float));
  const std::vector<int32_t> shape = like.shape;
  format::TensorT& made = *model_->subgraphs[0]->tensors[static_cast<size_t>(number)];
  made.type = TensorType::FLOAT32;
  made.shape = shape;
  made.shape_signature.clear();
  made.quantization.reset();
  made.buffer = static_cast<uint32_t>(model_->buffers.size());
  model_->buffers.push_back(std::move(buffer));
}

// Models with FLOAT16 weights have a DEQUANTIZE after each of them. Weight-only INT8 models, whose operators
// compute in float, have none.
void FloatModel::make_weights_float() {
  auto& graph = *model_->subgraphs[0];
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    const auto number = static_cast<int32_t>(i);
    const format::TensorT& it = tensor(number);
    if (it.type != TensorType::INT8 || !is_quantized(it) || !is_constant(number)) continue;
    const auto& data = model_->buffers[it.buffer]->data;
    const std::vector<float> values = fits(it, data.size()) ? dequantized(it, data) : std::vector<float>();
    if (!values.empty()) make_float(number, it, values);
  }
  std::erase_if(graph.operators, [&](const auto& op) {
    if (code_of(*op) != BuiltinOperator::DEQUANTIZE || op->inputs.size() != 1 || op->outputs.size() != 1 ||
        !is_constant(op->inputs[0]))
      return false;
    const format::TensorT& narrow = tensor(op->inputs[0]);
    const auto& data = model_->buffers[narrow.buffer]->data;
    if (narrow.type != TensorType::FLOAT16 || !fits(narrow, data.size())) return false;
    make_float(op->outputs[0], narrow, from_fp16(data));
    return true;
  });
}

// Empty options are not written back, so their type must not be either.
void FloatModel::drop_unknown_options() {
  for (const auto& subgraph : model_->subgraphs) {
    for (const auto& op : subgraph->operators) {
      if (op->builtin_options.value == nullptr) op->builtin_options.Reset();
    }
  }
}

BuiltinOperator FloatModel::code_of(const format::OperatorT& op) const {
  const format::OperatorCodeT& code = *model_->operator_numbers[op.opcode_index];
  return static_cast<BuiltinOperator>(std::max<int32_t>(code.narrow_builtin_code, code.builtin_code));
}

std::string FloatModel::operator_name(const format::OperatorT& op) const {
  return tflite::operator_name(static_cast<int32_t>(code_of(op)),
                               model_->operator_numbers[op.opcode_index]->custom_code);
}

bool FloatModel::is_float(int32_t number) const {
  return number >= 0 && tensor(number).type == TensorType::FLOAT32;
}

bool FloatModel::is_constant(int32_t number) const {
  return number >= 0 && !model_->buffers[tensor(number).buffer]->data.empty();
}

FloatConstant FloatModel::floats(int32_t number) const {
  const auto& data = model_->buffers[tensor(number).buffer]->data;
  FloatConstant constant{{tensor(number).shape.begin(), tensor(number).shape.end()}, {}};
  constant.values.resize(data.size() / sizeof(float));
  std::memcpy(constant.values.data(), data.data(), constant.values.size() * sizeof(float));
  return constant;
}

std::string FloatModel::file() const { return packed(*model_); }

}  // namespace nnrt::import::tflite
