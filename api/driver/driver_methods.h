// The methods that INnrtDevice and INnrtDeviceVdi share.
#pragma once

#include "api/driver/driver.h"
#include "api/driver/driver_model.h"

#include <utility>

namespace nnrt::driver {

template <typename Interface>
class DriverMethods : public Interface {
 public:
  explicit DriverMethods(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}

  int32_t GetDeviceName(std::string& name) override {
    return give(__func__, name, [&] { return driver_->device_name(); });
  }
  int32_t GetVendorName(std::string& name) override {
    return give(__func__, name, [&] { return driver_->vendor_name(); });
  }
  int32_t GetDeviceType(hdi::DeviceType& deviceType) override {
    return assign(__func__, hdi::NNRT_FAILED, deviceType, [&]() -> Result<hdi::DeviceType> {
      NNRT_ASSIGN(const DeviceType type, driver_->device().type());
      return static_cast<hdi::DeviceType>(type);
    });
  }
  int32_t GetDeviceStatus(hdi::DeviceStatus& status) override {
    return give(__func__, status, [&] { return static_cast<hdi::DeviceStatus>(driver_->device().status()); });
  }
  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    return assign(__func__, hdi::NNRT_INVALID_MODEL, ops, [&] { return driver_->supported(model); });
  }
  int32_t IsFloat16PrecisionSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t IsPerformanceModeSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t IsPrioritySupported(bool& isSupported) override { return yes(isSupported); }
  int32_t IsDynamicInputSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config,
                       ModelPtr& preparedModel) override {
    return make(__func__, hdi::NNRT_INVALID_MODEL, config, preparedModel,
                [&](const CompileOptions& options) { return driver_->prepare(model, options); });
  }
  int32_t IsModelCacheSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t PrepareModelFromModelCache(const std::vector<hdi::SharedBuffer>& modelCache,
                                     const hdi::ModelConfig& config, ModelPtr& preparedModel) override {
    return make(__func__, hdi::NNRT_INVALID_MODEL_CACHE, config, preparedModel,
                [&](const CompileOptions& options) { return driver_->restore(modelCache, options); });
  }
  int32_t PrepareOfflineModel(const std::vector<hdi::SharedBuffer>& models, const hdi::ModelConfig& config,
                              ModelPtr& preparedModel) override {
    return make(__func__, hdi::NNRT_INVALID_MODEL, config, preparedModel,
                [&](const CompileOptions& options) { return driver_->load(models, options); });
  }
  int32_t AllocateBuffer(uint32_t length, hdi::SharedBuffer& buffer) override {
    return assign(__func__, hdi::NNRT_INVALID_BUFFER_SIZE, buffer, [&] { return driver_->allocate(length); });
  }
  int32_t ReleaseBuffer(const hdi::SharedBuffer& buffer) override {
    return answer(__func__, hdi::NNRT_INVALID_BUFFER, [&] { return driver_->release(buffer); });
  }

 private:
  template <typename T, typename Body>
  static int32_t assign(std::string_view method, hdi::NNRT_ReturnCode on_invalid, T& to, const Body& body) {
    return answer(method, on_invalid, [&]() -> Status {
      NNRT_ASSIGN(to, body());
      return {};
    });
  }
  template <typename T, typename Body>
  static int32_t give(std::string_view method, T& to, const Body& body) {
    return assign(method, hdi::NNRT_FAILED, to, [&]() -> Result<T> { return body(); });
  }
  template <typename Body>
  static int32_t make(std::string_view method, hdi::NNRT_ReturnCode on_invalid,
                      const hdi::ModelConfig& config, ModelPtr& to, const Body& body) {
    CompileOptions options;
    int32_t code = hdi::NNRT_SUCCESS;
    const int32_t outer = answer(method, on_invalid, [&]() -> Status {
      code = read_options(config, options);
      if (code != hdi::NNRT_SUCCESS) return {};
      NNRT_ASSIGN(to, body(options));
      return {};
    });
    return outer == hdi::NNRT_SUCCESS ? code : outer;
  }
  static int32_t yes(bool& isSupported) {
    isSupported = true;
    return hdi::NNRT_SUCCESS;
  }

  const std::shared_ptr<Driver> driver_;
};

}  // namespace nnrt::driver
