// A device of V1_0 of the interface over one of V2_0: without offline models, ranges and extensions, and with
// HDF's return codes. An output without enough room is reported, not an error.
#pragma once

#include "backends/plugin/hdi_enums.h"
#include "core/base/shape.h"

#include <neural_network_runtime/hdi/v1_0/innrt_device.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace nnrt::driver {

namespace hdi = ::nnrt::hdi::V2_0;
namespace v1_0 = ::nnrt::hdi::V1_0;

inline int32_t hdf_code(int32_t code) {
  enum : int32_t {
    success = 0,
    failure = -1,
    not_support = -2,
    invalid_param = -3,
    malloc_fail = -6,
    timeout = -7
  };
  switch (code) {
    case hdi::NNRT_SUCCESS: return success;
    case hdi::NNRT_FAILED:
    case hdi::NNRT_DEVICE_ERROR: return failure;
    case hdi::NNRT_OPERATION_FORBIDDEN:
    case hdi::NNRT_UNSUPPORTED_OP: return not_support;
    case hdi::NNRT_OUT_OF_MEMORY: return malloc_fail;
    case hdi::NNRT_TIME_OUT: return timeout;
    default: return invalid_param;
  }
}

class V1_0Model final : public v1_0::IPreparedModel {
 public:
  explicit V1_0Model(std::shared_ptr<hdi::IPreparedModel> model) : model_(std::move(model)) {}

  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& modelCache) override {
    return hdf_code(model_->ExportModelCache(modelCache));
  }
  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& outputDims,
              std::vector<bool>& isOutputBufferEnough) override {
    outputDims.clear();
    const int32_t code = model_->Run(inputs, outputs, outputDims);
    isOutputBufferEnough.assign(outputs.size(), true);
    if (code != hdi::NNRT_INSUFFICIENT_BUFFER) return hdf_code(code);
    for (size_t i = 0; i < std::min(outputs.size(), outputDims.size()); ++i)
      isOutputBufferEnough[i] = has_room(outputs[i], outputDims[i]);
    return hdf_code(hdi::NNRT_SUCCESS);
  }

 private:
  static bool has_room(const hdi::IOTensor& output, const std::vector<int32_t>& dims) {
    const auto bytes = byte_size(plugin::from_hdi(output.dataType), {dims.begin(), dims.end()});
    const hdi::SharedBuffer& data = output.data;
    return !bytes || *bytes <= std::min(data.dataSize, data.bufferSize - data.offset);
  }

  const std::shared_ptr<hdi::IPreparedModel> model_;
};

class V1_0Device final : public v1_0::INnrtDevice {
 public:
  explicit V1_0Device(std::unique_ptr<hdi::INnrtDevice> device) : device_(std::move(device)) {}

  int32_t GetDeviceName(std::string& name) override { return hdf_code(device_->GetDeviceName(name)); }
  int32_t GetVendorName(std::string& name) override { return hdf_code(device_->GetVendorName(name)); }
  int32_t GetDeviceType(hdi::DeviceType& deviceType) override {
    return hdf_code(device_->GetDeviceType(deviceType));
  }
  int32_t GetDeviceStatus(hdi::DeviceStatus& status) override {
    return hdf_code(device_->GetDeviceStatus(status));
  }
  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    return hdf_code(device_->GetSupportedOperation(model, ops));
  }
  int32_t IsFloat16PrecisionSupported(bool& isSupported) override {
    return hdf_code(device_->IsFloat16PrecisionSupported(isSupported));
  }
  int32_t IsPerformanceModeSupported(bool& isSupported) override {
    return hdf_code(device_->IsPerformanceModeSupported(isSupported));
  }
  int32_t IsPrioritySupported(bool& isSupported) override {
    return hdf_code(device_->IsPrioritySupported(isSupported));
  }
  int32_t IsDynamicInputSupported(bool& isSupported) override {
    return hdf_code(device_->IsDynamicInputSupported(isSupported));
  }
  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config,
                       std::shared_ptr<v1_0::IPreparedModel>& preparedModel) override {
    std::shared_ptr<hdi::IPreparedModel> made;
    return adapt(device_->PrepareModel(model, config, made), made, preparedModel);
  }
  int32_t IsModelCacheSupported(bool& isSupported) override {
    return hdf_code(device_->IsModelCacheSupported(isSupported));
  }
  int32_t PrepareModelFromModelCache(const std::vector<hdi::SharedBuffer>& modelCache,
                                     const hdi::ModelConfig& config,
                                     std::shared_ptr<v1_0::IPreparedModel>& preparedModel) override {
    std::shared_ptr<hdi::IPreparedModel> made;
    return adapt(device_->PrepareModelFromModelCache(modelCache, config, made), made, preparedModel);
  }
  int32_t AllocateBuffer(uint32_t length, hdi::SharedBuffer& buffer) override {
    return hdf_code(device_->AllocateBuffer(length, buffer));
  }
  int32_t ReleaseBuffer(const hdi::SharedBuffer& buffer) override {
    return hdf_code(device_->ReleaseBuffer(buffer));
  }

 private:
  static int32_t adapt(int32_t code, const std::shared_ptr<hdi::IPreparedModel>& made,
                       std::shared_ptr<v1_0::IPreparedModel>& preparedModel) {
    if (made != nullptr) preparedModel = std::make_shared<V1_0Model>(made);
    return hdf_code(code);
  }

  const std::unique_ptr<hdi::INnrtDevice> device_;
};

}  // namespace nnrt::driver
