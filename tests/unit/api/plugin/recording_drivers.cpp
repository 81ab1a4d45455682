#include "tests/unit/api/plugin/recording_drivers.h"

#include <utility>

namespace api_tests {
namespace {

namespace hdi = ::nnrt::hdi::V2_0;
using nnrt::test::SimpleDevice;
using nnrt::test::SimpleTraits;

Names& registration_calls() {
  static Names calls;
  return calls;
}

// Wraps a V2_0 driver as V1_0.
class OldModel final : public ::nnrt::hdi::V1_0::IPreparedModel {
 public:
  explicit OldModel(std::shared_ptr<hdi::IPreparedModel> model) : model_(std::move(model)) {}
  int32_t ExportModelCache(std::vector<hdi::SharedBuffer>& cache) override {
    return model_->ExportModelCache(cache);
  }
  int32_t Run(const std::vector<hdi::IOTensor>& inputs, const std::vector<hdi::IOTensor>& outputs,
              std::vector<std::vector<int32_t>>& dims, std::vector<bool>& is_enough) override {
    const int32_t code = model_->Run(inputs, outputs, dims);
    is_enough.assign(outputs.size(), true);
    if (code == hdi::NNRT_INSUFFICIENT_BUFFER) is_enough[0] = false;
    return code == hdi::NNRT_INSUFFICIENT_BUFFER ? 0 : code;
  }

 private:
  std::shared_ptr<hdi::IPreparedModel> model_;
};

class OldDevice final : public ::nnrt::hdi::V1_0::INnrtDevice {
 public:
  explicit OldDevice(std::shared_ptr<SimpleTraits> traits) : device_(std::move(traits)) {}
  int32_t GetDeviceName(std::string& name) override { return device_.GetDeviceName(name); }
  int32_t GetVendorName(std::string& name) override { return device_.GetVendorName(name); }
  int32_t GetDeviceType(hdi::DeviceType& type) override { return device_.GetDeviceType(type); }
  int32_t GetDeviceStatus(hdi::DeviceStatus& status) override { return device_.GetDeviceStatus(status); }
  int32_t GetSupportedOperation(const hdi::Model& model, std::vector<bool>& ops) override {
    return device_.GetSupportedOperation(model, ops);
  }
  int32_t IsFloat16PrecisionSupported(bool& is) override { return device_.IsFloat16PrecisionSupported(is); }
  int32_t IsPerformanceModeSupported(bool& is) override { return device_.IsPerformanceModeSupported(is); }
  int32_t IsPrioritySupported(bool& is) override { return device_.IsPrioritySupported(is); }
  int32_t IsDynamicInputSupported(bool& is) override { return device_.IsDynamicInputSupported(is); }
  int32_t PrepareModel(const hdi::Model& model, const hdi::ModelConfig& config,
                       std::shared_ptr<::nnrt::hdi::V1_0::IPreparedModel>& prepared) override {
    std::shared_ptr<hdi::IPreparedModel> made;
    const int32_t code = device_.PrepareModel(model, config, made);
    if (made) prepared = std::make_shared<OldModel>(made);
    return code;
  }
  int32_t IsModelCacheSupported(bool& is) override { return device_.IsModelCacheSupported(is); }
  int32_t PrepareModelFromModelCache(const std::vector<hdi::SharedBuffer>& cache,
                                     const hdi::ModelConfig& config,
                                     std::shared_ptr<::nnrt::hdi::V1_0::IPreparedModel>& prepared) override {
    std::shared_ptr<hdi::IPreparedModel> made;
    const int32_t code = device_.PrepareModelFromModelCache(cache, config, made);
    if (made) prepared = std::make_shared<OldModel>(made);
    return code;
  }
  int32_t AllocateBuffer(uint32_t length, hdi::SharedBuffer& buffer) override {
    return device_.AllocateBuffer(length, buffer);
  }
  int32_t ReleaseBuffer(const hdi::SharedBuffer& buffer) override { return device_.ReleaseBuffer(buffer); }

 private:
  SimpleDevice device_;
};

}  // namespace

Recorder::Recorder(const char* name, uint32_t major, uint32_t minor)
    : traits_(std::make_shared<SimpleTraits>()) {
  traits_->name = name;
  traits_->major = major;
  traits_->minor = minor;
  traits_->on = [this](const std::string& method, const std::string& given) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(given.empty() ? method : method + ' ' + given);
    return 0;
  };
}

void Recorder::put_on_list() {
  std::shared_ptr<hdi::INnrtDevice> device;
  if (traits_->major == 1) {
    device = std::make_shared<::nnrt::hdi::V1_0::Adapter>(std::make_shared<OldDevice>(traits_));
  } else {
    device = std::make_shared<SimpleDevice>(traits_);
  }
  registered_ = ::nnrt::hdi::RegisterDevice(device);
}

Recorder& Recorder::newest() {
  static Recorder recorder("Newest", 2, 1);
  return recorder;
}
Recorder& Recorder::older() {
  static Recorder recorder("Older", 2, 0);
  return recorder;
}
Recorder& Recorder::oldest() {
  static Recorder recorder("Oldest", 1, 0);
  return recorder;
}
Recorder& Recorder::exclusive() {
  static Recorder recorder("Exclusive", 2, 1);
  recorder.traits_->exclusive = true;
  return recorder;
}

void Recorder::register_all() {
  for (Recorder* recorder : {&newest(), &older(), &oldest(), &exclusive()}) recorder->put_on_list();
  device_names();
  registration_calls() = newest().take_names();
}

const Names& Recorder::registration() { return registration_calls(); }

size_t Recorder::id() const {
  EXPECT_EQ(registered_, OH_NN_SUCCESS);
  const std::string version = "_v" + std::to_string(traits_->major) + "_" + std::to_string(traits_->minor);
  return device_by_name(traits_->name + "_" + traits_->vendor + version);
}

std::vector<std::string> Recorder::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(calls_, {});
}

std::vector<std::string> Recorder::take_names() {
  std::vector<std::string> names = take();
  for (std::string& call : names) call = call.substr(0, call.find(' '));
  return names;
}

}  // namespace api_tests

int main(int argc, char** argv) {
  api_tests::Recorder::register_all();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
