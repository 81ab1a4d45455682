// The methods that INnrtDevice and INnrtDeviceVdi share.
#pragma once

#include "api/driver/driver.h"
#include "api/driver/driver_model.h"

#include <functional>
#include <utility>

namespace nnrt::driver {

// The types of an interface are this project's own, or those of board_types.h.
struct OwnTypes {
  using DeviceType = hdi::DeviceType;
  using DeviceStatus = hdi::DeviceStatus;
  using SharedBuffer = hdi::SharedBuffer;
  using Model = hdi::Model;
  using ModelConfig = hdi::ModelConfig;
  using ModelPtr = driver::ModelPtr;
  // The arguments of a call.
  struct Arguments {
    static const auto& own(const auto& argument) { return argument; }
  };
  static ModelPtr given(ModelPtr model) { return model; }
};

template <typename Interface, typename Types = OwnTypes>
class DriverMethods : public Interface {
  using Arguments = typename Types::Arguments;
  using Buffer = typename Types::SharedBuffer;
  using Config = typename Types::ModelConfig;
  using MadeModel = typename Types::ModelPtr;

 public:
  explicit DriverMethods(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}

  int32_t GetDeviceName(std::string& name) override {
    return give(__func__, name, [&] { return driver_->device_name(); });
  }
  int32_t GetVendorName(std::string& name) override {
    return give(__func__, name, [&] { return driver_->vendor_name(); });
  }
  int32_t GetDeviceType(typename Types::DeviceType& deviceType) override {
    return assign(__func__, hdi::NNRT_FAILED, deviceType, [&]() -> Result<typename Types::DeviceType> {
      NNRT_ASSIGN(const DeviceType type, driver_->device().type());
      return static_cast<typename Types::DeviceType>(type);
    });
  }
  int32_t GetDeviceStatus(typename Types::DeviceStatus& status) override {
    return give(__func__, status,
                [&] { return static_cast<typename Types::DeviceStatus>(driver_->device().status()); });
  }
  int32_t GetSupportedOperation(const typename Types::Model& model, std::vector<bool>& ops) override {
    return assign(__func__, hdi::NNRT_INVALID_MODEL, ops, [&] {
      Arguments arguments;
      return driver_->supported(arguments.own(model));
    });
  }
  int32_t IsFloat16PrecisionSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t IsPerformanceModeSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t IsPrioritySupported(bool& isSupported) override { return yes(isSupported); }
  int32_t IsDynamicInputSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t PrepareModel(const typename Types::Model& model, const Config& config,
                       MadeModel& preparedModel) override {
    return make(__func__, hdi::NNRT_INVALID_MODEL, model, config, preparedModel, &Driver::prepare);
  }
  int32_t IsModelCacheSupported(bool& isSupported) override { return yes(isSupported); }
  int32_t PrepareModelFromModelCache(const std::vector<Buffer>& modelCache, const Config& config,
                                     MadeModel& preparedModel) override {
    return make(__func__, hdi::NNRT_INVALID_MODEL_CACHE, modelCache, config, preparedModel, &Driver::restore);
  }
  int32_t PrepareOfflineModel(const std::vector<Buffer>& models, const Config& config,
                              MadeModel& preparedModel) override {
    return make(__func__, hdi::NNRT_INVALID_MODEL, models, config, preparedModel, &Driver::load);
  }
  int32_t AllocateBuffer(uint32_t length, Buffer& buffer) override {
    return assign(__func__, hdi::NNRT_INVALID_BUFFER_SIZE, buffer, [&]() -> Result<Buffer> {
      NNRT_ASSIGN(const hdi::SharedBuffer made, driver_->allocate(length));
      return Buffer{made.fd, made.bufferSize, made.offset, made.dataSize};
    });
  }
  int32_t ReleaseBuffer(const Buffer& buffer) override {
    return answer(__func__, hdi::NNRT_INVALID_BUFFER, [&] {
      Arguments arguments;
      return driver_->release(arguments.own(buffer));
    });
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
  template <typename Argument, typename Method>
  int32_t make(std::string_view method, hdi::NNRT_ReturnCode on_invalid, const Argument& argument,
               const Config& config, MadeModel& to, const Method& prepare) {
    int32_t code = hdi::NNRT_SUCCESS;
    const int32_t outer = answer(method, on_invalid, [&]() -> Status {
      Arguments arguments;
      const auto& own = arguments.own(argument);
      CompileOptions options;
      code = read_options(arguments.own(config), options);
      if (code != hdi::NNRT_SUCCESS) return {};
      NNRT_ASSIGN(ModelPtr made, std::invoke(prepare, *driver_, own, options));
      to = Types::given(std::move(made));
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
