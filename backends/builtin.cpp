#include "backends/cpu/device.h"
#include "backends/plugin/device.h"
#include "backends/plugin/loader.h"
#include "core/auto_device.h"
#include "core/device_registry.h"

#include <cstdlib>
#ifdef NNRT_VULKAN
#include "backends/vulkan/devices.h"
#endif

namespace nnrt {

std::vector<std::shared_ptr<Device>> builtin_devices(const BuiltinSelection& selection) {
  const bool only_chooser = selection.chooser && !selection.vulkan && !selection.cpu;
  std::vector<std::shared_ptr<Device>> devices;
#ifdef NNRT_VULKAN
  if (selection.vulkan || only_chooser) devices = vulkan::find_devices();
#endif
  if (selection.cpu || only_chooser) devices.push_back(cpu::make_device());
  if (!selection.chooser || devices.empty()) return devices;
  auto chooser = make_auto_device(devices);
  if (only_chooser) return {std::move(chooser)};
  devices.push_back(std::move(chooser));
  return devices;
}

Result<std::shared_ptr<Device>> plugin_device(std::shared_ptr<hdi::V2_0::INnrtDevice> driver) {
  return plugin::make_device(std::move(driver));
}

namespace {

// A plugin never becomes device 0 of a process that has others: clients that choose none get the same.
std::vector<std::shared_ptr<Device>> all_devices() {
  std::vector<std::shared_ptr<Device>> devices =
      builtin_devices(builtin_selection(std::getenv("NNRT_DEVICES")));
  const char* paths = std::getenv("NNRT_PLUGINS");
  for (auto& device : plugin::load_devices(paths == nullptr ? "" : paths))
    devices.push_back(std::move(device));
  for (auto& device : take_registered_devices()) devices.push_back(std::move(device));
  return devices;
}

}  // namespace

DeviceRegistry& DeviceRegistry::instance() {
  // Never destroyed, see the header.
  static DeviceRegistry& registry = *std::make_unique<DeviceRegistry>(all_devices()).release();
  return registry;
}

}  // namespace nnrt
