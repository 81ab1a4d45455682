#include "tools/import/tflite/quantizer/tflite_float_model.h"

#include "core/base/fp16.h"
#include "tools/import/network/layers.h"
#include "tools/import/tflite/tflite_operators.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import::tflite {
namespace {

using format::TensorType;

bool is_quantized(const format::TensorT& tensor) {
  const bool is_integer = tensor.type != TensorType::FLOAT32 && tensor.type != TensorType::FLOAT16;
  return is_integer && tensor.quantization && !tensor.quantization->scale.empty();
}

std::vector<uint8_t> widened(const std::vector<uint8_t>& halves) {
  std::vector<uint8_t> floats(halves.size() * 2);
  for (size_t i = 0; i * sizeof(Half) < halves.size(); ++i) {
    Half half{};
    std::memcpy(&half, halves.data() + i * sizeof half, sizeof half);
    const float value = to_float(half);
    std::memcpy(floats.data() + i * sizeof value, &value, sizeof value);
  }
  return floats;
}

// Of floats, what the buffer has must be what the shape asks for.
bool fits(const format::TensorT& tensor, const std::vector<uint8_t>& data) {
  int64_t count = 1;
  for (const int32_t length : tensor.shape) {
    if (length < 1) return false;
    count *= length;
    if (count > static_cast<int64_t>(data.size())) return false;
  }
  return static_cast<uint64_t>(count) * (tensor.type == TensorType::FLOAT16 ? 2 : 4) == data.size();
}

}  // namespace

Result<FloatModel> FloatModel::read(const std::string& file) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(file.data());
  flatbuffers::Verifier verifier(bytes, file.size());
  if (file.size() < 8 || !format::VerifyModelBuffer(verifier))
    return Error{Code::invalid_file, "The file is damaged, or no TensorFlow Lite model of version 3."};
  FloatModel made;
  made.model_.reset(format::GetModel(bytes)->UnPack());
  NNRT_TRY(made.check_numbers());
  NNRT_TRY(made.check_is_float());
  made.widen_constants();
  made.drop_unknown_options();
  return made;
}

Status FloatModel::check_numbers() const {
  if (model_->subgraphs.empty()) return Error{Code::invalid_file, "The file holds no graph."};
  const Error bad{Code::invalid_file, "The file names a tensor, a buffer or a code that it does not have."};
  const auto count = static_cast<int32_t>(graph().tensors.size());
  const auto in_graph = [&](const std::vector<int32_t>& numbers, int32_t least) {
    return std::ranges::all_of(numbers, [&](int32_t number) { return number >= least && number < count; });
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
    if (tensor->type == TensorType::FLOAT32 && !data.empty() && !fits(*tensor, data)) return bad;
  }
  return {};
}

Status FloatModel::check_is_float() const {
  const auto found = std::ranges::find_if(graph().tensors, [](const auto& it) { return is_quantized(*it); });
  if (found == graph().tensors.end()) return {};
  return Error{Code::unsupported,
               "The model is quantized already: its tensor (" + (*found)->name + ") has a scale."};
}

// Files of FLOAT16 weights have a DEQUANTIZE behind each of them.
void FloatModel::widen_constants() {
  auto& graph = *model_->subgraphs[0];
  std::erase_if(graph.operators, [&](const auto& op) {
    if (code_of(*op) != BuiltinOperator::DEQUANTIZE || op->inputs.size() != 1 || op->outputs.size() != 1 ||
        !is_constant(op->inputs[0]))
      return false;
    const format::TensorT& narrow = tensor(op->inputs[0]);
    const auto& data = model_->buffers[narrow.buffer]->data;
    if (narrow.type != TensorType::FLOAT16 || !fits(narrow, data)) return false;
    format::TensorT& wide = *graph.tensors[static_cast<size_t>(op->outputs[0])];
    auto buffer = std::make_unique<format::BufferT>();
    buffer->data = widened(data);
    wide.type = TensorType::FLOAT32;
    wide.shape = narrow.shape;
    wide.shape_signature.clear();
    wide.buffer = static_cast<uint32_t>(model_->buffers.size());
    model_->buffers.push_back(std::move(buffer));
    return true;
  });
}

// Of operators that have no options worth reading, a table is not written back, and its type should not be
// either.
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

std::string FloatModel::label_of(const format::OperatorT& op) const {
  return import::label_of(Layer{operator_name(op), op.outputs.empty() ? "" : tensor(op.outputs[0]).name, {}});
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

std::string packed(const format::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  format::FinishModelBuffer(builder, format::CreateModel(builder, &model));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace nnrt::import::tflite
