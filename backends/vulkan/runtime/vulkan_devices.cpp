#include "backends/vulkan/runtime/vulkan_devices.h"

#include "backends/vulkan/device/device_info.h"
#include "backends/vulkan/device/vk_instance.h"
#include "backends/vulkan/runtime/vulkan_device.h"
#include "backends/vulkan/runtime/vulkan_kernel_names.h"
#include "core/base/text.h"
#include "core/platform/log.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace nnrt::vulkan {
namespace {

KernelSwitch kernel_switch() {
  const char* text = setting_text(Setting::vulkan_kernels);
  return text == nullptr ? KernelSwitch() : parse_kernel_switch("NNRT_VULKAN_KERNELS", text, kernel_names());
}

void set_shaders(DevicePlan& plan) {
  const auto choice = setting_choice(Setting::vulkan_shaders);
  if (!choice) return;
  constexpr Shaders kChoices[] = {Shaders::optimized, Shaders::fast_compile, Shaders::deferred,
                                  Shaders::deferred};
  plan.shaders = kChoices[*choice];
  const std::string_view text = setting_text(Setting::vulkan_shaders);
  const size_t colon = text.find(':');
  if (colon != text.npos) plan.pipelines.compile_us = 1e3 * std::atof(text.data() + colon + 1);
}

// Without a file to keep them, measuring in each process would cost more than it gains.
void set_tuning(DevicePlan& plan) {
  const bool is_wanted = plan.kernels.forces("tile_tuning") || !TileFile::default_path().empty();
  if (plan.tuning == Tuning::on && !is_wanted) plan.tuning = Tuning::kept;
}

}  // namespace

std::vector<std::shared_ptr<Device>> find_devices() {
  const KernelSwitch kernels = kernel_switch();  // warns about unknown names even without a device
  const auto found = physical_devices();
  if (!found.ok()) {
    log(LogLevel::info, cat("No Vulkan device: ", found.error().message));
    return {};
  }
  std::vector<std::shared_ptr<Device>> devices;
  std::map<std::string, int> namesakes;
  for (const VkPhysicalDevice physical : found.value()) {
    const Snapshot snapshot = take_snapshot(physical);
    auto planned = plan(snapshot, kernels);
    if (!planned.ok()) {
      log(LogLevel::warning, planned.error().message);
      continue;
    }
    std::string name = planned.value().name;
    if (const int number = ++namesakes[name]; number > 1) name.append(cat(" #", number));
    planned.value().name = name;
    set_shaders(planned.value());
    set_tuning(planned.value());
    std::vector<DeviceProperty> properties = device_info_of(snapshot, planned.value());
    devices.push_back(std::make_shared<VulkanDevice>(physical, std::move(planned).value(), std::move(name),
                                                     std::move(properties)));
  }
  return devices;
}

}  // namespace nnrt::vulkan
