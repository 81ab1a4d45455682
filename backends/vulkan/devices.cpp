#include "backends/vulkan/devices.h"

#include "backends/vulkan/device.h"
#include "backends/vulkan/facts.h"
#include "backends/vulkan/instance.h"
#include "core/log.h"

#include <cstdlib>
#include <map>
#include <string_view>

namespace nnrt::vulkan {

std::vector<std::shared_ptr<Device>> find_devices() {
  const auto found = physical_devices();
  if (!found.ok()) {
    log(LogLevel::info, cat("There is no Vulkan device: ", found.error().message));
    return {};
  }
  std::vector<std::shared_ptr<Device>> devices;
  std::map<std::string, int> namesakes;
  for (const VkPhysicalDevice physical : found.value()) {
    const Snapshot snapshot = take_snapshot(physical);
    auto planned = plan(snapshot);
    if (!planned.ok()) {
      log(LogLevel::warning, planned.error().message);
      continue;
    }
    std::string name = planned.value().name;
    if (const int number = ++namesakes[name]; number > 1) name.append(cat(" #", number));
    planned.value().name = name;
    if (const char* setting = std::getenv("NNRT_VULKAN_HALVES")) {
      planned.value().store_halves = std::string_view(setting) == "on";
    }
    std::vector<Fact> facts = facts_of(snapshot, planned.value());
    devices.push_back(std::make_shared<VulkanDevice>(physical, std::move(planned).value(), std::move(name),
                                                     std::move(facts)));
  }
  return devices;
}

}  // namespace nnrt::vulkan
