#include "network_runner.h"

#include "core/base/fp16.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

Executor build(const OH_NNModel* model, size_t device, const NetworkRunner::Options& options) {
  const Compilation compilation =
      model == nullptr ? own(OH_NNCompilation_ConstructForCache(), "OH_NNCompilation_ConstructForCache")
                       : own(OH_NNCompilation_Construct(model), "OH_NNCompilation_Construct");
  check(OH_NNCompilation_SetDevice(compilation.get(), device), "OH_NNCompilation_SetDevice");
  if (options.float16)
    check(OH_NNCompilation_EnableFloat16(compilation.get(), true), "OH_NNCompilation_EnableFloat16");
  if (options.steady)
    check(OH_NNCompilation_SetPerformanceMode(compilation.get(), OH_NN_PERFORMANCE_EXTREME),
          "OH_NNCompilation_SetPerformanceMode");
  if (!options.cache.empty())
    check(OH_NNCompilation_SetCache(compilation.get(), options.cache.c_str(), 1),
          "OH_NNCompilation_SetCache");
  if (!options.note.empty())
    check(OH_NNRt_SetModelNote(compilation.get(), options.note.data(), options.note.size()),
          "OH_NNRt_SetModelNote");
  check(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.export", "off", 3),
        "OH_NNCompilation_AddExtensionConfig");
  if (options.on_taken) options.on_taken();
  check(OH_NNCompilation_Build(compilation.get()), "OH_NNCompilation_Build");
  return own(OH_NNExecutor_Construct(compilation.get()), "OH_NNExecutor_Construct");
}

// Empty without a cache.
std::vector<std::byte> note_of(const std::string& cache) {
  const std::string container = cache + "/0.nncache";
  size_t size = 0;
  if (cache.empty() || !std::filesystem::exists(container)) return {};
  if (OH_NNRt_GetModelNote(container.c_str(), nullptr, 0, &size) != OH_NN_SUCCESS) return {};
  std::vector<std::byte> note(size);
  check(OH_NNRt_GetModelNote(container.c_str(), note.data(), note.size(), &size), "OH_NNRt_GetModelNote");
  return note;
}

template <typename Draw>
void fill(std::span<std::byte> data, const Draw& draw) {
  using Element = decltype(draw());
  for (size_t at = 0; at < data.size(); at += sizeof(Element)) {
    const Element value = draw();
    std::memcpy(&data[at], &value, sizeof value);
  }
}

}  // namespace

std::vector<Device> devices() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  check(OH_NNDevice_GetAllDevicesID(&ids, &count), "OH_NNDevice_GetAllDevicesID");
  std::vector<Device> found;
  for (uint32_t i = 0; i < count; ++i) {
    const char* name = nullptr;
    check(OH_NNDevice_GetName(ids[i], &name), "OH_NNDevice_GetName");
    OH_NN_DeviceType type = OH_NN_OTHERS;
    check(OH_NNDevice_GetType(ids[i], &type), "OH_NNDevice_GetType");
    found.push_back({ids[i], name, type});
  }
  return found;
}

size_t find_device(std::string_view kind) {
  size_t id = 0;
  check(OH_NNRt_FindDevice(kind == "cpu" ? OH_NN_CPU : OH_NN_GPU, &id), "OH_NNRt_FindDevice");
  return id;
}

ImportedModel::ImportedModel(const std::string& path, const std::string& cache) {
  const OH_NNRt_ImportOptions options{sizeof options, nullptr, 0,
                                      cache.empty() ? OH_NNRT_IDENTITY_NONE : OH_NNRT_IDENTITY_FILE, nullptr};
  const std::vector<std::byte> note = note_of(cache);
  if (!note.empty() &&
      OH_NNRt_ImportFromCacheNote(path.c_str(), &options, note.data(), note.size(), &model_) == OH_NN_SUCCESS)
    return;
  if (OH_NNRt_ImportModel(path.c_str(), &options, &model_) != OH_NN_SUCCESS)
    throw std::runtime_error(OH_NNRt_GetImportError());
  check(OH_NNRt_ImportedModel_GetModel(model_, &network_), "OH_NNRt_ImportedModel_GetModel");
}

std::span<const std::byte> ImportedModel::note() const {
  const void* note = nullptr;
  size_t size = 0;
  check(OH_NNRt_ImportedModel_GetCacheNote(model_, &note, &size), "OH_NNRt_ImportedModel_GetCacheNote");
  return {static_cast<const std::byte*>(note), size};
}

NetworkRunner::NetworkRunner(const OH_NNModel* model, size_t device, const Options& options)
    : device_(device), executor_(build(model, device, options)) {
  size_t inputs = 0, outputs = 0;
  check(OH_NNExecutor_GetInputCount(executor_.get(), &inputs), "OH_NNExecutor_GetInputCount");
  check(OH_NNExecutor_GetOutputCount(executor_.get(), &outputs), "OH_NNExecutor_GetOutputCount");
  for (size_t i = 0; i < inputs; ++i)
    inputs_.push_back(make(OH_NNExecutor_CreateInputTensorDesc(executor_.get(), i)));
  for (size_t i = 0; i < outputs; ++i)
    outputs_.push_back(make(OH_NNExecutor_CreateOutputTensorDesc(executor_.get(), i)));
}

NN_Tensor* NetworkRunner::make(NN_TensorDesc* description) {
  const TensorDesc desc = own(description, "OH_NNExecutor_Create...TensorDesc");
  int32_t* shape = nullptr;  // owned by desc
  size_t rank = 0;
  check(OH_NNTensorDesc_GetShape(desc.get(), &shape, &rank), "OH_NNTensorDesc_GetShape");
  std::vector<int32_t> known(shape, shape + rank);
  std::ranges::replace(known, -1, 1);
  if (rank > 0) check(OH_NNTensorDesc_SetShape(desc.get(), known.data(), rank), "OH_NNTensorDesc_SetShape");
  tensors_.push_back(own(OH_NNTensor_Create(device_, desc.get()), "OH_NNTensor_Create"));
  return tensors_.back().get();
}

std::span<std::byte> NetworkRunner::bytes(NN_Tensor* tensor) {
  size_t size = 0;
  const NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(tensor);  // owned by the tensor
  check(OH_NNTensorDesc_GetByteSize(desc, &size), "OH_NNTensorDesc_GetByteSize");
  return {static_cast<std::byte*>(OH_NNTensor_GetDataBuffer(tensor)), size};
}

void NetworkRunner::fill_inputs(uint64_t seed) {
  std::mt19937_64 random(seed);
  for (NN_Tensor* tensor : inputs_) {
    const NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(tensor);  // owned by the tensor
    OH_NN_DataType dtype = OH_NN_UNKNOWN;
    check(OH_NNTensorDesc_GetDataType(desc, &dtype), "OH_NNTensorDesc_GetDataType");
    const std::span<std::byte> data = bytes(tensor);
    std::uniform_real_distribution<float> draw(-1, 1);
    if (dtype == OH_NN_FLOAT32)
      fill(data, [&] { return draw(random); });
    else if (dtype == OH_NN_FLOAT16)
      fill(data, [&] { return nnrt::to_half(draw(random)); });
    else
      fill(data, [&] { return static_cast<std::byte>(random()); });
  }
}

void NetworkRunner::run() {
  check(OH_NNExecutor_RunSync(executor_.get(), inputs_.data(), inputs_.size(), outputs_.data(),
                              outputs_.size()),
        "OH_NNExecutor_RunSync");
}

void NetworkRunner::keep_on_device() {
  for (const Tensor& tensor : tensors_) check(OH_NNRt_KeepOnDevice(tensor.get()), "OH_NNRt_KeepOnDevice");
}

}  // namespace bench
