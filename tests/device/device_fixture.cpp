#include "tests/device/device_fixture.h"

#include "backends/vulkan/runtime/vulkan_kernel_names.h"

#include <map>

namespace nnrt::test {
namespace {

using DevicePtr = std::shared_ptr<vulkan::VulkanDevice>;

class SharedDevices : public testing::EmptyTestEventListener {
 public:
  DevicePtr& operator[](const std::string& key) { return devices_[key]; }
  void OnTestProgramEnd(const testing::UnitTest&) override { devices_.clear(); }

 private:
  std::map<std::string, DevicePtr> devices_;
};

// GoogleTest owns its listeners.
SharedDevices& shared_devices() {
  static auto* const devices = [] {
    auto* const listener = new SharedDevices;
    testing::UnitTest::GetInstance()->listeners().Append(listener);
    return listener;
  }();
  return *devices;
}

}  // namespace

vulkan::DevicePlan plan_with(std::string_view kernels) {
  const KernelSwitch names = parse_kernel_switch("test", kernels, vulkan::kernel_names());
  vulkan::DevicePlan plan = vulkan::plan(vulkan::take_snapshot(first_physical_device()), names).value();
  plan.fp16_intermediates = true;  // off by default on software drivers
  plan.shaders = vulkan::Shaders::optimized;
  return plan;
}

DevicePtr shared_device(const std::string& key, const vulkan::DevicePlan& plan) {
  DevicePtr& device = shared_devices()[key];
  if (device == nullptr) device = make_device(plan);
  return device;
}

}  // namespace nnrt::test
