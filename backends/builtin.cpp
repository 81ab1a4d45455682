#include "backends/cpu/device.h"
#include "core/device_registry.h"

#include <cstdlib>
#ifdef NNRT_VULKAN
#include "backends/vulkan/devices.h"
#endif

namespace nnrt {

std::vector<std::shared_ptr<Device>> builtin_devices(const BuiltinSelection& selection) {
  std::vector<std::shared_ptr<Device>> devices;
#ifdef NNRT_VULKAN
  if (selection.vulkan) devices = vulkan::find_devices();
#endif
  if (selection.cpu) devices.push_back(cpu::make_device());
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
