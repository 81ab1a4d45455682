#include "backends/cpu/device.h"
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

DeviceRegistry& DeviceRegistry::instance() {
  // Never destroyed, see the header.
  static DeviceRegistry& registry =
      *std::make_unique<DeviceRegistry>(builtin_devices(builtin_selection(std::getenv("NNRT_DEVICES"))))
           .release();
  return registry;
}

}  // namespace nnrt
