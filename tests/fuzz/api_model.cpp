#include "tests/fuzz/api_model.h"

#include "core/base/text.h"
#include "core/schema/graph_builder.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_node.h"

#include <algorithm>
#include <cstring>

namespace nnrt::test {
namespace {

// Any number as an enumerator, as a C client may pass.
template <typename Enum>
Enum any(int number) {
  Enum value{};
  static_assert(sizeof value == sizeof number);
  std::memcpy(&value, &number, sizeof value);
  return value;
}

OH_NN_UInt32Array array_of(const std::vector<uint32_t>& numbers) {
  // Never written; the interface just lacks const.
  return {numbers.empty() ? nullptr : const_cast<uint32_t*>(numbers.data()), uint32_t(numbers.size())};
}

std::vector<int32_t> c_shape(const Shape& shape) { return {shape.begin(), shape.end()}; }

void add_quantization(OH_NNModel* model, uint32_t index, const Quant& quant) {
  const import::QuantParamHandle params(OH_NNQuantParam_Create());
  const std::vector<uint32_t> bits(quant.scales.size(), 8);
  OH_NNQuantParam_SetScales(params.get(), quant.scales.data(), quant.scales.size());
  OH_NNQuantParam_SetZeroPoints(params.get(), quant.zero_points.data(), quant.zero_points.size());
  OH_NNQuantParam_SetNumBits(params.get(), bits.data(), bits.size());
  OH_NNModel_SetTensorQuantParams(model, index, params.get());
}

void add_tensor(OH_NNModel* model, uint32_t index, const Tensor& tensor) {
  const import::TensorDescHandle desc(OH_NNTensorDesc_Create());
  const std::vector<int32_t> shape = c_shape(tensor.shape);
  OH_NNTensorDesc_SetDataType(desc.get(), any<OH_NN_DataType>(int(tensor.dtype)));
  if (!shape.empty()) OH_NNTensorDesc_SetShape(desc.get(), shape.data(), shape.size());
  OH_NNTensorDesc_SetFormat(desc.get(), any<OH_NN_Format>(int(tensor.format)));
  OH_NNModel_AddTensorToModel(model, desc.get());
  if (!tensor.quant.empty()) add_quantization(model, index, tensor.quant);
  if (tensor.role != 0) OH_NNModel_SetTensorType(model, index, any<OH_NN_TensorType>(tensor.role));
  if (tensor.data) OH_NNModel_SetTensorData(model, index, tensor.data->data(), tensor.data->size());
}

// A tensor with its dynamic dimensions set.
nnrt::import::TensorHandle tensor_of(size_t device, NN_TensorDesc* desc) {
  int32_t* shape = nullptr;
  size_t rank = 0;
  if (desc == nullptr || OH_NNTensorDesc_GetShape(desc, &shape, &rank) != OH_NN_SUCCESS) return nullptr;
  std::vector<int32_t> fixed(shape, shape + rank);
  std::ranges::replace(fixed, -1, int32_t(kOpenLength));
  if (rank > 0) OH_NNTensorDesc_SetShape(desc, fixed.data(), fixed.size());
  return import::TensorHandle(OH_NNTensor_Create(device, desc));
}

void fill(NN_Tensor* tensor, ByteView contents) {
  auto* const to = static_cast<std::byte*>(OH_NNTensor_GetDataBuffer(tensor));
  size_t size = 0;
  OH_NNTensor_GetSize(tensor, &size);
  for (size_t i = 0; i < size; ++i) to[i] = contents.empty() ? std::byte{0} : contents[i % contents.size()];
}

Bytes contents_of(NN_Tensor* tensor) {
  const auto* const from = static_cast<const std::byte*>(OH_NNTensor_GetDataBuffer(tensor));
  size_t size = 0;
  OH_NNTensor_GetSize(tensor, &size);
  return {from, from + size};
}

void run(OH_NNExecutor* executor, size_t device, std::span<const Bytes> fed, Outcome& outcome) {
  size_t inputs = 0, outputs = 0;
  OH_NNExecutor_GetInputCount(executor, &inputs);
  OH_NNExecutor_GetOutputCount(executor, &outputs);
  std::vector<import::TensorHandle> owned;
  std::vector<NN_Tensor*> in, out;
  for (size_t i = 0; i < inputs + outputs; ++i) {
    const import::TensorDescHandle desc(i < inputs
                                            ? OH_NNExecutor_CreateInputTensorDesc(executor, i)
                                            : OH_NNExecutor_CreateOutputTensorDesc(executor, i - inputs));
    owned.push_back(tensor_of(device, desc.get()));
    if (owned.back() == nullptr) return;
    (i < inputs ? in : out).push_back(owned.back().get());
    if (i < inputs && !fed.empty()) fill(in.back(), fed[i % fed.size()]);
  }
  outcome.run = OH_NNExecutor_RunSync(executor, in.data(), in.size(), out.data(), out.size());
  if (outcome.run != OH_NN_SUCCESS) return;
  for (size_t i = 0; i < outputs; ++i) {
    int32_t* shape = nullptr;
    uint32_t rank = 0;
    if (OH_NNExecutor_GetOutputShape(executor, uint32_t(i), &shape, &rank) != OH_NN_SUCCESS) continue;
    outcome.shapes.emplace_back(shape, shape + rank);
    outcome.outputs.push_back(contents_of(out[i]));
  }
}

}  // namespace

std::string describe(const ApiModel& model) {
  std::string text;
  for (size_t i = 0; i < model.tensors.size(); ++i) {
    const Tensor& tensor = model.tensors[i];
    text += cat("  ", i, ": ", int(tensor.dtype) < kDTypeCount ? describe(tensor) : "of no dtype",
                tensor.role == 0 ? "" : cat(" for ", tensor.role));
    if (tensor.data) text += cat(" = ", tensor.data->size(), " bytes");
    text += "\n";
  }
  const auto list = [](const std::vector<uint32_t>& ids) { return to_string(Shape(ids.begin(), ids.end())); };
  for (const ApiModel::Operation& operation : model.operations) {
    const std::optional<Op> op = op_from_number(operation.type);
    text += cat("  ", op ? name(*op) : "no operator", " ", list(operation.inputs), " ",
                list(operation.params), " -> ", list(operation.outputs), "\n");
  }
  return text + cat("  of ", list(model.inputs), " to ", list(model.outputs), "\n");
}

GraphPtr graph_of(const ApiModel& model) {
  GraphBuilder builder;
  for (uint32_t i = 0; i < model.tensors.size(); ++i) {
    Tensor bare = model.tensors[i];
    if (int(bare.dtype) >= kDTypeCount || int(bare.format) > int(Format::nd)) return nullptr;
    const SharedBytes data = std::exchange(bare.data, nullptr);
    const Quant quant = std::exchange(bare.quant, {});
    const int role = std::exchange(bare.role, 0);
    static_cast<void>(builder.add_tensor(std::move(bare)));
    if (!quant.empty()) static_cast<void>(builder.set_quant(i, quant));
    if (role != 0) static_cast<void>(builder.set_role(i, role));
    if (data) static_cast<void>(builder.set_data(i, *data));
  }
  for (const ApiModel::Operation& operation : model.operations)
    static_cast<void>(
        builder.add_operation(operation.type, operation.params, operation.inputs, operation.outputs));
  static_cast<void>(builder.specify(model.inputs, model.outputs));
  static_cast<void>(builder.finish());
  return builder.graph();
}

nnrt::import::ModelHandle make(const ApiModel& model) {
  import::ModelHandle made(OH_NNModel_Construct());
  for (uint32_t i = 0; i < model.tensors.size(); ++i) add_tensor(made.get(), i, model.tensors[i]);
  for (const ApiModel::Operation& operation : model.operations) {
    const OH_NN_UInt32Array params = array_of(operation.params), inputs = array_of(operation.inputs),
                            outputs = array_of(operation.outputs);
    OH_NNModel_AddOperation(made.get(), any<OH_NN_OperationType>(operation.type), &params, &inputs, &outputs);
  }
  const OH_NN_UInt32Array inputs = array_of(model.inputs), outputs = array_of(model.outputs);
  OH_NNModel_SpecifyInputsAndOutputs(made.get(), &inputs, &outputs);
  if (OH_NNModel_Finish(made.get()) != OH_NN_SUCCESS) return nullptr;
  return made;
}

std::optional<size_t> device_of(OH_NN_DeviceType type) {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  OH_NNDevice_GetAllDevicesID(&ids, &count);
  for (uint32_t i = 0; i < count; ++i) {
    OH_NN_DeviceType own{};
    if (OH_NNDevice_GetType(ids[i], &own) == OH_NN_SUCCESS && own == type) return ids[i];
  }
  return std::nullopt;
}

Outcome build_and_run(OH_NNCompilation* compilation, size_t device, std::span<const Bytes> fed) {
  Outcome outcome;
  OH_NNCompilation_SetDevice(compilation, device);
  outcome.build = OH_NNCompilation_Build(compilation);
  if (outcome.build != OH_NN_SUCCESS) return outcome;
  const import::ExecutorHandle executor(OH_NNExecutor_Construct(compilation));
  if (executor != nullptr) run(executor.get(), device, fed, outcome);
  return outcome;
}

}  // namespace nnrt::test
