/**
 * @file innrt_device.h
 *
 * V1_0 of the driver interface: V2_0 without PrepareOfflineModel, GetInputDimRanges and extensions, and with
 * a different Run; it returns HDF errors. It uses V2_0's structures, which contain those of V1_0. Adapter
 * wraps a V1_0 device as a V2_0 one.
 */
#ifndef NNRT_HDI_V1_0_INNRT_DEVICE_H
#define NNRT_HDI_V1_0_INNRT_DEVICE_H

#include "../v2_0/innrt_device.h"

#include <algorithm>
#include <utility>

namespace nnrt::hdi::V1_0 {

using namespace V2_0::structures;  // not the interfaces, which have the same names here

class IPreparedModel {
 public:
  virtual ~IPreparedModel() = default;
  virtual int32_t ExportModelCache(std::vector<SharedBuffer>& modelCache) = 0;
  /** isOutputBufferEnough: per output, whether its buffer was large enough. */
  virtual int32_t Run(const std::vector<IOTensor>& inputs, const std::vector<IOTensor>& outputs,
                      std::vector<std::vector<int32_t>>& outputDims,
                      std::vector<bool>& isOutputBufferEnough) = 0;
  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 1;
    minorVer = 0;
    return NNRT_SUCCESS;
  }
};

class INnrtDevice {
 public:
  virtual ~INnrtDevice() = default;
  virtual int32_t GetDeviceName(std::string& name) = 0;
  virtual int32_t GetVendorName(std::string& name) = 0;
  virtual int32_t GetDeviceType(DeviceType& deviceType) = 0;
  virtual int32_t GetDeviceStatus(DeviceStatus& status) = 0;
  virtual int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) = 0;
  virtual int32_t IsFloat16PrecisionSupported(bool& isSupported) = 0;
  virtual int32_t IsPerformanceModeSupported(bool& isSupported) = 0;
  virtual int32_t IsPrioritySupported(bool& isSupported) = 0;
  virtual int32_t IsDynamicInputSupported(bool& isSupported) = 0;
  virtual int32_t PrepareModel(const Model& model, const ModelConfig& config,
                               std::shared_ptr<IPreparedModel>& preparedModel) = 0;
  virtual int32_t IsModelCacheSupported(bool& isSupported) = 0;
  virtual int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>& modelCache,
                                             const ModelConfig& config,
                                             std::shared_ptr<IPreparedModel>& preparedModel) = 0;
  virtual int32_t AllocateBuffer(uint32_t length, SharedBuffer& buffer) = 0;
  virtual int32_t ReleaseBuffer(const SharedBuffer& buffer) = 0;
  virtual int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) {
    majorVer = 1;
    minorVer = 0;
    return NNRT_SUCCESS;
  }
};

class PreparedModelAdapter final : public V2_0::IPreparedModel {
 public:
  explicit PreparedModelAdapter(std::shared_ptr<V1_0::IPreparedModel> model) : model_(std::move(model)) {}

  int32_t ExportModelCache(std::vector<SharedBuffer>& modelCache) override {
    return model_->ExportModelCache(modelCache);
  }
  int32_t GetInputDimRanges(std::vector<std::vector<uint32_t>>&,
                            std::vector<std::vector<uint32_t>>&) override {
    return NNRT_OPERATION_FORBIDDEN;
  }
  int32_t Run(const std::vector<IOTensor>& inputs, const std::vector<IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& outputDims) override {
    std::vector<bool> isEnough;
    const int32_t code = model_->Run(inputs, outputs, outputDims, isEnough);
    const bool fits = std::find(isEnough.begin(), isEnough.end(), false) == isEnough.end();
    return code != NNRT_SUCCESS || fits ? code : static_cast<int32_t>(NNRT_INSUFFICIENT_BUFFER);
  }
  int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) override {
    return model_->GetVersion(majorVer, minorVer);
  }

 private:
  std::shared_ptr<V1_0::IPreparedModel> model_;
};

class Adapter final : public V2_0::INnrtDevice {
 public:
  explicit Adapter(std::shared_ptr<V1_0::INnrtDevice> device) : device_(std::move(device)) {}

  int32_t GetDeviceName(std::string& name) override { return device_->GetDeviceName(name); }
  int32_t GetVendorName(std::string& name) override { return device_->GetVendorName(name); }
  int32_t GetDeviceType(DeviceType& deviceType) override { return device_->GetDeviceType(deviceType); }
  int32_t GetDeviceStatus(DeviceStatus& status) override { return device_->GetDeviceStatus(status); }
  int32_t GetSupportedOperation(const Model& model, std::vector<bool>& ops) override {
    return device_->GetSupportedOperation(model, ops);
  }
  int32_t IsFloat16PrecisionSupported(bool& isSupported) override {
    return device_->IsFloat16PrecisionSupported(isSupported);
  }
  int32_t IsPerformanceModeSupported(bool& isSupported) override {
    return device_->IsPerformanceModeSupported(isSupported);
  }
  int32_t IsPrioritySupported(bool& isSupported) override {
    return device_->IsPrioritySupported(isSupported);
  }
  int32_t IsDynamicInputSupported(bool& isSupported) override {
    return device_->IsDynamicInputSupported(isSupported);
  }
  int32_t PrepareModel(const Model& model, const ModelConfig& config,
                       std::shared_ptr<V2_0::IPreparedModel>& preparedModel) override {
    std::shared_ptr<V1_0::IPreparedModel> made;
    return adapt(device_->PrepareModel(model, config, made), made, preparedModel);
  }
  int32_t IsModelCacheSupported(bool& isSupported) override {
    return device_->IsModelCacheSupported(isSupported);
  }
  int32_t PrepareModelFromModelCache(const std::vector<SharedBuffer>& modelCache, const ModelConfig& config,
                                     std::shared_ptr<V2_0::IPreparedModel>& preparedModel) override {
    std::shared_ptr<V1_0::IPreparedModel> made;
    return adapt(device_->PrepareModelFromModelCache(modelCache, config, made), made, preparedModel);
  }
  int32_t PrepareOfflineModel(const std::vector<SharedBuffer>&, const ModelConfig&,
                              std::shared_ptr<V2_0::IPreparedModel>&) override {
    return NNRT_NOT_SUPPORT;
  }
  int32_t AllocateBuffer(uint32_t length, SharedBuffer& buffer) override {
    return device_->AllocateBuffer(length, buffer);
  }
  int32_t ReleaseBuffer(const SharedBuffer& buffer) override { return device_->ReleaseBuffer(buffer); }
  int32_t GetVersion(uint32_t& majorVer, uint32_t& minorVer) override {
    return device_->GetVersion(majorVer, minorVer);
  }

 private:
  static int32_t adapt(int32_t code, const std::shared_ptr<V1_0::IPreparedModel>& made,
                       std::shared_ptr<V2_0::IPreparedModel>& preparedModel) {
    if (made != nullptr) preparedModel = std::make_shared<PreparedModelAdapter>(made);
    return code;
  }

  std::shared_ptr<V1_0::INnrtDevice> device_;
};

}  // namespace nnrt::hdi::V1_0

#endif
