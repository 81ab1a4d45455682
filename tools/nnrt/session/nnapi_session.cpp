#include "tools/nnrt/session/nnapi_session.h"

#include "core/base/text.h"
#include "tools/import/network/network_check.h"
#include "tools/nnrt/base/clock.h"
#include "tools/nnrt/base/progress.h"

#include <algorithm>
#include <cctype>

namespace nnrt::tool {
namespace {

using import::Nnapi;
using import::nnapi_called;

constexpr size_t kRoom = size_t{1} << 22;  // initial bytes for outputs of unknown size

struct NnapiDevice {
  ANeuralNetworksDevice* handle = nullptr;
  std::string name;
  int32_t type = ANEURALNETWORKS_DEVICE_UNKNOWN;
};

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Result<std::vector<NnapiDevice>> list_devices(const Nnapi& nnapi) {
  uint32_t count = 0;
  NNRT_TRY(nnapi_called(nnapi.ANeuralNetworks_getDeviceCount(&count), "ANeuralNetworks_getDeviceCount"));
  std::vector<NnapiDevice> devices(count);
  for (uint32_t i = 0; i < count; ++i) {
    NnapiDevice& device = devices[i];
    const char* name = nullptr;
    NNRT_TRY(nnapi_called(nnapi.ANeuralNetworks_getDevice(i, &device.handle), "ANeuralNetworks_getDevice"));
    NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksDevice_getName(device.handle, &name),
                          "ANeuralNetworksDevice_getName"));
    NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksDevice_getType(device.handle, &device.type),
                          "ANeuralNetworksDevice_getType"));
    device.name = name;
  }
  return devices;
}

constexpr const char* kCpu = "nnapi-reference";  // Android's standard name for the CPU

// "gpu" is any device but the CPU: software Vulkan drivers report that they are CPUs.
bool fits(const NnapiDevice& device, const std::string& wanted) {
  if (wanted == "cpu") return device.name == kCpu;
  if (wanted == "gpu") return device.name != kCpu;
  return lower(device.name).find(wanted) != std::string::npos;
}

// The requested device and, unless fallback is off, the CPU; empty if the runtime is to choose.
Result<std::vector<NnapiDevice>> choose(const Nnapi& nnapi, const NnapiOptions& options) {
  if (options.device.empty()) return std::vector<NnapiDevice>{};
  NNRT_ASSIGN(const std::vector<NnapiDevice> devices, list_devices(nnapi));
  std::vector<NnapiDevice> chosen;
  std::string names;
  for (const NnapiDevice& device : devices) {
    names += cat(names.empty() ? "" : ", ", device.name);
    if (chosen.empty() && fits(device, lower(options.device))) chosen.push_back(device);
  }
  if (chosen.empty()) return invalid("NNAPI's device (", options.device, ") is not one of: ", names, ".");
  const auto cpu = std::ranges::find(devices, kCpu, &NnapiDevice::name);
  if (options.fallback && chosen[0].name != kCpu && cpu != devices.end()) chosen.push_back(*cpu);
  return chosen;
}

Result<import::NnapiHandle<ANeuralNetworksCompilation>> make_compilation(
    const Nnapi& nnapi, ANeuralNetworksModel* model, const std::vector<NnapiDevice>& devices) {
  std::vector<const ANeuralNetworksDevice*> handles;
  handles.reserve(devices.size());
  for (const NnapiDevice& device : devices) handles.push_back(device.handle);
  ANeuralNetworksCompilation* made = nullptr;
  if (handles.empty()) {
    NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksCompilation_create(model, &made),
                          "ANeuralNetworksCompilation_create"));
  } else {
    NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksCompilation_createForDevices(
                              model, handles.data(), static_cast<uint32_t>(handles.size()), &made),
                          "ANeuralNetworksCompilation_createForDevices"));
  }
  import::NnapiHandle<ANeuralNetworksCompilation> compilation(made, nnapi.ANeuralNetworksCompilation_free);
  NNRT_TRY(nnapi_called(nnapi.ANeuralNetworksCompilation_finish(made), "ANeuralNetworksCompilation_finish"));
  return compilation;
}

std::vector<import::Tensor> described(const import::Network& network,
                                      const std::vector<import::TensorId>& ids) {
  std::vector<import::Tensor> tensors;
  tensors.reserve(ids.size());
  for (const import::TensorId id : ids) tensors.push_back(network.tensors[id]);
  return tensors;
}

Result<Array> room_for(const import::Tensor& output) {
  if (!is_dynamic(output.shape)) return make_array(output.type, output.shape);
  Array array;
  array.type = output.type;
  array.bytes.resize(kRoom);
  return array;
}

}  // namespace

Result<NnapiSession> NnapiSession::build(const import::Network& network, const NnapiOptions& options) {
  NnapiSession session;
  NNRT_ASSIGN(session.nnapi_, import::open_nnapi());
  const Nnapi& nnapi = *session.nnapi_;
  NNRT_ASSIGN(const std::vector<NnapiDevice> devices, choose(nnapi, options));
  session.device_ = devices.empty() ? "as NNAPI chooses" : devices[0].name;
  NNRT_ASSIGN(const import::NnapiModelHandle model,
              import::make_nnapi_model(nnapi, network, options.float16));
  const Progress progress("building for " + session.device_);
  const Stopwatch stopwatch;
  NNRT_ASSIGN(session.compilation_, make_compilation(nnapi, model.get(), devices));
  session.build_ms_ = stopwatch.ms();
  session.inputs_ = described(network, network.inputs);
  session.outputs_ = described(network, network.outputs);
  return session;
}

Result<NnapiSession::Execution> NnapiSession::make_execution() const {
  ANeuralNetworksExecution* made = nullptr;
  NNRT_TRY(nnapi_called(nnapi_->ANeuralNetworksExecution_create(compilation_.get(), &made),
                        "ANeuralNetworksExecution_create"));
  return Execution(made, nnapi_->ANeuralNetworksExecution_free);
}

// Passes a type for inputs whose shape is dynamic.
Status NnapiSession::set_inputs(ANeuralNetworksExecution* execution, std::span<const Array> inputs) const {
  constexpr std::pair<OH_NN_DataType, int32_t> kTypes[] = {
      {OH_NN_FLOAT32, ANEURALNETWORKS_TENSOR_FLOAT32},
      {OH_NN_FLOAT16, ANEURALNETWORKS_TENSOR_FLOAT16},
      {OH_NN_INT32, ANEURALNETWORKS_TENSOR_INT32},
      {OH_NN_BOOL, ANEURALNETWORKS_TENSOR_BOOL8},
      {OH_NN_UINT8, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM},
      {OH_NN_INT8, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const import::Tensor& declared = inputs_[i];
    const auto code = std::ranges::find(kTypes, declared.type, &std::pair<OH_NN_DataType, int32_t>::first);
    if (code == std::end(kTypes))
      return unsupported("NNAPI has no inputs of the type of ", declared.name, ".");
    const std::vector<uint32_t> dimensions(inputs[i].shape.begin(), inputs[i].shape.end());
    ANeuralNetworksOperandType type{code->second, static_cast<uint32_t>(dimensions.size()), dimensions.data(),
                                    0, 0};
    if (!declared.quantization.empty()) {
      type.scale = static_cast<float>(declared.quantization.scales[0]);
      type.zeroPoint = declared.quantization.zero_points[0];
    }
    NNRT_TRY(nnapi_called(
        nnapi_->ANeuralNetworksExecution_setInput(execution, static_cast<int32_t>(i),
                                                  is_dynamic(declared.shape) ? &type : nullptr,
                                                  inputs[i].bytes.data(), inputs[i].bytes.size()),
        "ANeuralNetworksExecution_setInput"));
  }
  return {};
}

Status NnapiSession::compute(ANeuralNetworksExecution* execution, bool async, int& result) const {
  if (!async) {
    result = nnapi_->ANeuralNetworksExecution_compute(execution);
    return {};
  }
  ANeuralNetworksEvent* event = nullptr;
  NNRT_TRY(nnapi_called(nnapi_->ANeuralNetworksExecution_startCompute(execution, &event),
                        "ANeuralNetworksExecution_startCompute"));
  result = nnapi_->ANeuralNetworksEvent_wait(event);
  nnapi_->ANeuralNetworksEvent_free(event);
  return {};
}

Result<Shape> NnapiSession::shape_of(ANeuralNetworksExecution* execution, size_t output) const {
  const auto index = static_cast<int32_t>(output);
  uint32_t rank = 0;
  // An output that is too small is reported again later, with the required size.
  const auto answered = [](int code) {
    return code == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE ? ANEURALNETWORKS_NO_ERROR : code;
  };
  NNRT_TRY(
      nnapi_called(answered(nnapi_->ANeuralNetworksExecution_getOutputOperandRank(execution, index, &rank)),
                   "ANeuralNetworksExecution_getOutputOperandRank"));
  std::vector<uint32_t> dimensions(rank);
  NNRT_TRY(nnapi_called(answered(nnapi_->ANeuralNetworksExecution_getOutputOperandDimensions(
                            execution, index, dimensions.data())),
                        "ANeuralNetworksExecution_getOutputOperandDimensions"));
  return Shape(dimensions.begin(), dimensions.end());
}

Result<std::vector<Array>> NnapiSession::run(std::span<const Array> inputs, bool async, double& ms) const {
  std::vector<Array> arrays;
  for (const import::Tensor& output : outputs_) {
    NNRT_ASSIGN(Array array, room_for(output));
    arrays.push_back(std::move(array));
  }
  // The second attempt uses the sizes reported by the first.
  for (int attempt = 0;; ++attempt) {
    const Stopwatch stopwatch;
    NNRT_ASSIGN(const Execution execution, make_execution());
    NNRT_TRY(set_inputs(execution.get(), inputs));
    for (size_t i = 0; i < arrays.size(); ++i)
      NNRT_TRY(nnapi_called(
          nnapi_->ANeuralNetworksExecution_setOutput(execution.get(), static_cast<int32_t>(i), nullptr,
                                                     arrays[i].bytes.data(), arrays[i].bytes.size()),
          "ANeuralNetworksExecution_setOutput"));
    int result = ANEURALNETWORKS_NO_ERROR;
    NNRT_TRY(compute(execution.get(), async, result));
    ms = stopwatch.ms();
    const bool is_short = result == ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE && attempt == 0;
    if (!is_short)
      NNRT_TRY(
          nnapi_called(result, async ? "ANeuralNetworksEvent_wait" : "ANeuralNetworksExecution_compute"));
    for (size_t i = 0; i < arrays.size(); ++i) {
      if (!is_dynamic(outputs_[i].shape)) continue;
      NNRT_ASSIGN(arrays[i].shape, shape_of(execution.get(), i));
      NNRT_ASSIGN(const size_t size, import::byte_count(arrays[i].type, arrays[i].shape));
      arrays[i].bytes.resize(is_short ? std::max(size, arrays[i].bytes.size()) : size);
    }
    if (!is_short) return arrays;
  }
}

}  // namespace nnrt::tool
