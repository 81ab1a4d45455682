#include "tools/import/nnapi/nnapi_writer.h"

#include "core/base/element_at.h"
#include "core/base/fp16.h"
#include "core/base/text.h"
#include "tools/import/network/network_check.h"

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

bool is_quantized(OH_NN_DataType type) { return type == OH_NN_INT8 || type == OH_NN_UINT8; }

Result<int32_t> type_code(const Tensor& tensor, bool is_per_channel) {
  switch (tensor.type) {
    case OH_NN_FLOAT32: return ANEURALNETWORKS_TENSOR_FLOAT32;
    case OH_NN_FLOAT16: return ANEURALNETWORKS_TENSOR_FLOAT16;
    case OH_NN_INT32: return ANEURALNETWORKS_TENSOR_INT32;
    case OH_NN_BOOL: return ANEURALNETWORKS_TENSOR_BOOL8;
    case OH_NN_INT8:
      if (is_per_channel) return ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL;
      if (tensor.quantization.scales.size() == 1) return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
      break;
    case OH_NN_UINT8:
      if (tensor.quantization.scales.size() == 1) return ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;
      break;
    default:
      return unsupported("NNAPI has no tensors of type ", type_name(tensor.type), ", such as ", tensor.name,
                         ".");
  }
  return unsupported("NNAPI has no tensors of type ", type_name(tensor.type), " with ",
                     tensor.quantization.scales.size(), " scales, such as ", tensor.name, ".");
}

// Converts an INT64 constant to 32 bits.
Result<Bytes> narrowed(const Tensor& tensor) {
  Bytes narrow(tensor.data->size() / 2);
  for (size_t i = 0; i < narrow.size() / sizeof(int32_t); ++i) {
    const auto value = element_at<int64_t>(*tensor.data, i);
    const auto small = static_cast<int32_t>(value);
    if (small != value)
      return unsupported("The integer ", value, " of ", tensor.name, " does not fit in 32 bits.");
    std::memcpy(narrow.data() + i * sizeof small, &small, sizeof small);
  }
  return narrow;
}

}  // namespace

bool NnapiWriter::is_read(TensorId id) const {
  const auto has = [id](const std::vector<TensorId>& ids) { return std::ranges::find(ids, id) != ids.end(); };
  return has(network_.outputs) || std::ranges::any_of(network_.operations, [&](const Operation& operation) {
           return has(operation.inputs);
         });
}

OperandId NnapiWriter::add_operand(const ANeuralNetworksOperandType& type) {
  if (status_.ok())
    status_ = nnapi_called(nnapi_.ANeuralNetworksModel_addOperand(model_, &type),
                           "ANeuralNetworksModel_addOperand");
  return count_++;
}

OperandId NnapiWriter::add_tensor(const Tensor& tensor, bool is_per_channel, const Shape& shape) {
  if (!status_.ok()) return 0;
  const Result<int32_t> code = type_code(tensor, is_per_channel);
  if (!code.ok()) {
    status_ = code.error();
    return 0;
  }
  std::vector<uint32_t> dimensions;
  for (const int32_t dimension : shape) dimensions.push_back(static_cast<uint32_t>(std::max(dimension, 0)));
  ANeuralNetworksOperandType type{code.value(), static_cast<uint32_t>(dimensions.size()),
                                  dimensions.empty() ? nullptr : dimensions.data(), 0, 0};
  if (is_quantized(tensor.type) && !is_per_channel) {
    type.scale = static_cast<float>(tensor.quantization.scales[0]);
    type.zeroPoint = tensor.quantization.zero_points[0];
  }
  return add_operand(type);
}

void NnapiWriter::set_value(OperandId id, const void* data, size_t size) {
  if (!status_.ok()) return;
  status_ =
      nnapi_called(nnapi_.ANeuralNetworksModel_setOperandValue(model_, static_cast<int32_t>(id), data, size),
                   "ANeuralNetworksModel_setOperandValue");
}

OperandId NnapiWriter::operand(TensorId id) {
  if (const auto made = operands_.find(id); made != operands_.end()) return made->second;
  const Tensor& declared = tensor(id);
  if (declared.data) return operands_[id] = constant(declared);
  bool is_input = false;
  for (const TensorId input : network_.inputs) is_input = is_input || input == id;
  // Scalars are stored as [1]; results of operations keep the rank that NNAPI infers.
  const Shape shape = declared.shape.empty() && is_input ? Shape{1} : declared.shape;
  return operands_[id] = add_tensor(declared, false, shape);
}

OperandId NnapiWriter::constant(const Tensor& tensor, uint32_t channel_dimension) {
  Tensor stored = tensor;
  if (tensor.type == OH_NN_INT64) {
    auto narrow = narrowed(tensor);
    if (!narrow.ok()) {
      if (status_.ok()) status_ = std::move(narrow).error();
      return 0;
    }
    stored.type = OH_NN_INT32;
    stored.data = std::make_shared<const Bytes>(std::move(narrow).value());
  }
  const bool is_per_channel = stored.quantization.scales.size() > 1 && stored.type == OH_NN_INT8;
  const OperandId id = add_tensor(stored, is_per_channel, stored.shape.empty() ? Shape{1} : stored.shape);
  if (is_per_channel && status_.ok()) {
    std::vector<float> scales;
    for (const double scale : stored.quantization.scales) scales.push_back(static_cast<float>(scale));
    for (const int32_t zero_point : stored.quantization.zero_points)
      if (zero_point != 0)
        status_ = unsupported("NNAPI has no per-channel zero points, such as ", stored.name, ".");
    const ANeuralNetworksSymmPerChannelQuantParams channels{
        channel_dimension, static_cast<uint32_t>(scales.size()), scales.data()};
    if (status_.ok())
      status_ = nnapi_called(nnapi_.ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
                                 model_, static_cast<int32_t>(id), &channels),
                             "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams");
  }
  values_.push_back(stored.data);
  set_value(id, stored.data->data(), stored.data->size());
  return id;
}

OperandId NnapiWriter::temporary(const Tensor& tensor) { return add_tensor(tensor, false, tensor.shape); }

OperandId NnapiWriter::bias(ByteView values, int32_t channels, float scale) {
  const uint32_t dimension = static_cast<uint32_t>(channels);
  const OperandId id = add_operand({ANEURALNETWORKS_TENSOR_INT32, 1, &dimension, scale, 0});
  values_.push_back(std::make_shared<const Bytes>(values.begin(), values.end()));
  set_value(id, values_.back()->data(), values_.back()->size());
  return id;
}

template <typename T>
OperandId NnapiWriter::add_scalar(int32_t type, T value) {
  const OperandId id = add_operand({type, 0, nullptr, 0, 0});
  set_value(id, &value, sizeof value);  // small values are copied immediately
  return id;
}

OperandId NnapiWriter::scalar(int32_t value) { return add_scalar(ANEURALNETWORKS_INT32, value); }
OperandId NnapiWriter::flag(bool value) { return add_scalar(ANEURALNETWORKS_BOOL, value); }
OperandId NnapiWriter::real(float value, OH_NN_DataType beside) {
  if (beside == OH_NN_FLOAT16) return add_scalar(ANEURALNETWORKS_FLOAT16, to_half(value).bits);
  return add_scalar(ANEURALNETWORKS_FLOAT32, value);
}

OperandId NnapiWriter::vector(std::span<const int32_t> values, Shape shape) {
  Tensor tensor;
  tensor.type = OH_NN_INT32;
  tensor.shape = shape.empty() ? Shape{static_cast<int32_t>(values.size())} : std::move(shape);
  const auto bytes = std::as_bytes(values);
  tensor.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  return constant(tensor);
}

OperandId NnapiWriter::omitted(const Tensor& tensor) {
  const OperandId id = add_tensor(tensor, false, {0});
  set_value(id, nullptr, 0);
  return id;
}

void NnapiWriter::add(int32_t code, std::span<const OperandId> inputs, std::span<const OperandId> outputs) {
  if (!status_.ok()) return;
  status_ = nnapi_called(nnapi_.ANeuralNetworksModel_addOperation(
                             model_, code, static_cast<uint32_t>(inputs.size()), inputs.data(),
                             static_cast<uint32_t>(outputs.size()), outputs.data()),
                         cat("ANeuralNetworksModel_addOperation (OperationCode ", code, ")"));
}

void NnapiWriter::finish() {
  std::vector<OperandId> inputs, outputs;
  for (const TensorId id : network_.inputs) inputs.push_back(operand(id));
  for (const TensorId id : network_.outputs) {
    if (tensor(id).data && status_.ok())
      status_ = unsupported("NNAPI has no constant outputs, such as ", tensor(id).name, ".");
    outputs.push_back(operand(id));
  }
  if (!status_.ok()) return;
  status_ = nnapi_called(nnapi_.ANeuralNetworksModel_identifyInputsAndOutputs(
                             model_, static_cast<uint32_t>(inputs.size()), inputs.data(),
                             static_cast<uint32_t>(outputs.size()), outputs.data()),
                         "ANeuralNetworksModel_identifyInputsAndOutputs");
  if (status_.ok())
    status_ = nnapi_called(nnapi_.ANeuralNetworksModel_finish(model_), "ANeuralNetworksModel_finish");
}

}  // namespace nnrt::import
