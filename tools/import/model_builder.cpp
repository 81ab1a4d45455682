#include "tools/import/model_builder.h"

#include "core/memory/deferred_bytes.h"
#include "tools/import/last_error.h"
#include "tools/import/network/network_check.h"
#include "tools/import/network/parameters.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <memory>

namespace nnrt::import {
namespace {

Status called(OH_NN_ReturnCode code, std::string_view call) {
  if (code == OH_NN_SUCCESS) return {};
  return Error{static_cast<Code>(code),
               with_last_error(std::string(call) + " returns " + std::to_string(code) + ".")};
}

template <typename T>
Status made(const T& handle, std::string_view call) {
  if (handle) return {};
  return Error{Code::memory, with_last_error(std::string(call) + " returns null.")};
}

OH_NN_UInt32Array array(std::vector<uint32_t>& ids) {
  return {ids.empty() ? nullptr : ids.data(), static_cast<uint32_t>(ids.size())};
}

Status set_quantization(OH_NNModel* model, uint32_t id, const Quantization& quantization) {
  const QuantParamHandle handle(OH_NNQuantParam_Create());
  NNRT_TRY(made(handle, "OH_NNQuantParam_Create"));
  const size_t count = quantization.scales.size();
  const std::vector<uint32_t> bits(count, 8);
  NNRT_TRY(called(OH_NNQuantParam_SetScales(handle.get(), quantization.scales.data(), count),
                  "OH_NNQuantParam_SetScales"));
  NNRT_TRY(called(OH_NNQuantParam_SetZeroPoints(handle.get(), quantization.zero_points.data(), count),
                  "OH_NNQuantParam_SetZeroPoints"));
  NNRT_TRY(
      called(OH_NNQuantParam_SetNumBits(handle.get(), bits.data(), count), "OH_NNQuantParam_SetNumBits"));
  return called(OH_NNModel_SetTensorQuantParams(model, id, handle.get()), "OH_NNModel_SetTensorQuantParams");
}

constexpr size_t kLentBytes = 4096;  // smaller constants are copied

// Pages that nothing writes: the kernel maps the same empty page everywhere. Empty if there is no address
// space.
SharedBytes zeros(size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return std::make_shared<const Bytes>();
  const auto unmap = [bytes](const std::byte* start) { munmap(const_cast<std::byte*>(start), bytes); };
  const std::shared_ptr<const std::byte> owner(static_cast<const std::byte*>(pages), unmap);
  return {owner, {owner.get(), bytes}};
}

// Contents that are lost: to read them is an error of ensure_read(), or else a crash, but never zeros.
SharedBytes released(size_t bytes) {
  return deferred_bytes(bytes, bytes, [](std::span<std::byte>) -> Status {
    return Error{Code::failed, "The constants of the model have been released."};
  });
}

// For devices that are only asked what they support.
Network with_zeros(Network network) {
  for (Tensor& tensor : network.tensors)
    if (is_deferred(tensor.data) && stored_order(tensor.data) == nullptr)
      tensor.data = zeros(tensor.data->size());
  return network;
}

// Tensors get consecutive numbers as they are added.
class ModelMaker {
 public:
  explicit ModelMaker(OH_NNModel* model) : model_(model) {}

  Status add(const Tensor& tensor) {
    NNRT_TRY(add(tensor, OH_NN_TENSOR));
    const uint32_t id = count_ - 1;
    if (!tensor.quantization.empty()) NNRT_TRY(set_quantization(model_, id, tensor.quantization));
    return tensor.data ? lend_data(id, tensor.data) : Status{};
  }

  Status add(const Operation& operation) {
    std::vector<uint32_t> parameters;
    for (const Parameter& parameter : parameters_of(operation)) {
      Tensor tensor;
      tensor.type = parameter.type;
      tensor.shape = parameter.shape;
      NNRT_TRY(add(tensor, parameter.role));
      parameters.push_back(count_ - 1);
      NNRT_TRY(set_data(parameters.back(), parameter.value));
    }
    std::vector<uint32_t> inputs = operation.inputs, outputs = operation.outputs;
    const auto type = static_cast<OH_NN_OperationType>(operation.type);
    const OH_NN_UInt32Array parameter_array = array(parameters), input_array = array(inputs),
                            output_array = array(outputs);
    return called(OH_NNModel_AddOperation(model_, type, &parameter_array, &input_array, &output_array),
                  "OH_NNModel_AddOperation (OH_NN_OperationType " + std::to_string(type) + ")");
  }

  Status finish(std::vector<uint32_t> inputs, std::vector<uint32_t> outputs) {
    const OH_NN_UInt32Array input_array = array(inputs), output_array = array(outputs);
    NNRT_TRY(called(OH_NNModel_SpecifyInputsAndOutputs(model_, &input_array, &output_array),
                    "OH_NNModel_SpecifyInputsAndOutputs"));
    return called(OH_NNModel_Finish(model_), "OH_NNModel_Finish");
  }

 private:
  Status add(const Tensor& tensor, OH_NN_TensorType role) {
    NNRT_ASSIGN(const TensorDescHandle description, make_description(tensor));
    NNRT_TRY(called(OH_NNModel_AddTensorToModel(model_, description.get()), "OH_NNModel_AddTensorToModel"));
    NNRT_TRY(called(OH_NNModel_SetTensorType(model_, count_, role), "OH_NNModel_SetTensorType"));
    ++count_;
    return {};
  }

  Status set_data(uint32_t id, ByteView data) {
    return called(OH_NNModel_SetTensorData(model_, id, data.data(), data.size()), "OH_NNModel_SetTensorData");
  }

  // Copies small constants, and all of them if the runtime cannot share them.
  Status lend_data(uint32_t id, const SharedBytes& data) {
    if (const auto stored = stored_order(data)) return lend_stored(id, data, *stored);
    const auto lend =
        reinterpret_cast<decltype(&OH_NNRt_LendTensorData)>(dlsym(RTLD_DEFAULT, "OH_NNRt_LendTensorData"));
    if (lend == nullptr || data->size() < kLentBytes) return set_data(id, *data);
    auto owner = std::make_unique<SharedBytes>(data);
    NNRT_TRY(
        called(lend(model_, id, data->data(), data->size(), release, owner.get()), "OH_NNRt_LendTensorData"));
    static_cast<void>(owner.release());
    return {};
  }

  Status lend_stored(uint32_t id, const SharedBytes& data, const StoredOrder& stored) {
    const auto lend = reinterpret_cast<decltype(&OH_NNRt_LendTransposedData)>(
        dlsym(RTLD_DEFAULT, "OH_NNRt_LendTransposedData"));
    if (lend == nullptr || data->size() < kLentBytes) {
      NNRT_TRY(ensure_read(data));
      return lend_data(id, data);
    }
    const std::vector<uint32_t> order(stored.order.begin(), stored.order.end());
    auto owner = std::make_unique<SharedBytes>(stored.data);
    NNRT_TRY(called(lend(model_, id, stored.data->data(), stored.data->size(), order.data(), order.size(),
                         release, owner.get()),
                    "OH_NNRt_LendTransposedData"));
    static_cast<void>(owner.release());
    return {};
  }

  static void release(void* bytes) { delete static_cast<SharedBytes*>(bytes); }

  OH_NNModel* model_;
  uint32_t count_ = 0;
};

// Checks the C API's limits on a model.
Status check_count(std::string_view what, size_t count) {
  constexpr size_t kMax = 200;
  if (count >= 1 && count <= kMax) return {};
  return Error{Code::unsupported, "The model has " + std::to_string(count) + " " + std::string(what) +
                                      ", but OH_NN supports 1 to " + std::to_string(kMax) + " of them."};
}

// Marks the operations the device supports; a device that fails to answer supports none.
void add_taken(OH_NNModel* model, size_t device, std::vector<bool>& is_taken) {
  const bool* supported = nullptr;
  uint32_t count = 0;
  if (OH_NNModel_GetAvailableOperations(model, device, &supported, &count) != OH_NN_SUCCESS) return;
  for (size_t i = 0; i < std::min<size_t>(count, is_taken.size()); ++i)
    if (supported[i]) is_taken[i] = true;
}

Result<std::vector<bool>> taken_by_any_device(const Network& network) {
  NNRT_ASSIGN(const ModelHandle model, make_model(network));
  const size_t* devices = nullptr;
  uint32_t count = 0;
  NNRT_TRY(called(OH_NNDevice_GetAllDevicesID(&devices, &count), "OH_NNDevice_GetAllDevicesID"));
  std::vector<bool> is_taken(network.operations.size());
  for (uint32_t i = 0; i < count; ++i) add_taken(model.get(), devices[i], is_taken);
  return is_taken;
}

}  // namespace

Result<TensorDescHandle> make_description(const Tensor& tensor) {
  TensorDescHandle handle(OH_NNTensorDesc_Create());
  NNRT_TRY(made(handle, "OH_NNTensorDesc_Create"));
  NNRT_TRY(called(OH_NNTensorDesc_SetName(handle.get(), tensor.name.c_str()), "OH_NNTensorDesc_SetName"));
  NNRT_TRY(called(OH_NNTensorDesc_SetDataType(handle.get(), tensor.type), "OH_NNTensorDesc_SetDataType"));
  NNRT_TRY(called(OH_NNTensorDesc_SetFormat(handle.get(), tensor.format), "OH_NNTensorDesc_SetFormat"));
  if (!tensor.shape.empty())
    NNRT_TRY(called(OH_NNTensorDesc_SetShape(handle.get(), tensor.shape.data(), tensor.shape.size()),
                    "OH_NNTensorDesc_SetShape"));
  return handle;
}

Result<ModelHandle> make_model(const Network& network) {
  for (const Tensor& tensor : network.tensors)
    if (stored_order(tensor.data) == nullptr) NNRT_TRY(ensure_read(tensor.data));
  NNRT_TRY(check(network));
  NNRT_TRY(check_count("inputs", network.inputs.size()));
  NNRT_TRY(check_count("outputs", network.outputs.size()));
  ModelHandle model(OH_NNModel_Construct());
  NNRT_TRY(made(model, "OH_NNModel_Construct"));
  ModelMaker maker(model.get());
  for (const Tensor& tensor : network.tensors) {
    if (Status status = maker.add(tensor); !status.ok())
      return std::move(status).error().during("adding tensor " + tensor.name);
  }
  for (const Operation& operation : network.operations) {
    if (Status status = maker.add(operation); !status.ok())
      return std::move(status).error().during("adding " + operation.origin);
  }
  NNRT_TRY(maker.finish(network.inputs, network.outputs));
  return model;
}

void release_constants(Network& network) {
  for (Tensor& tensor : network.tensors)
    if (tensor.data && tensor.data->size() >= kLentBytes) tensor.data = released(tensor.data->size());
}

Error explain(Error error, const Network& network) {
  constexpr size_t kMaxNamed = 8;
  const auto is_taken = taken_by_any_device(with_zeros(network));
  if (!is_taken.ok()) return error;
  std::string names;
  for (size_t i = 0, named = 0; i < network.operations.size() && named < kMaxNamed; ++i) {
    if (is_taken.value()[i]) continue;
    names += (named++ == 0 ? "" : ", ") + network.operations[i].origin;
  }
  if (!names.empty()) error.message += " No device supports " + names + ".";
  return error;
}

}  // namespace nnrt::import
