// Apart from device_registry.cpp, so that a program without the devices of backends/builtin.cpp can link
// that.
#include "core/device_registry.h"

#include <cstdlib>

namespace nnrt {

DeviceRegistry& DeviceRegistry::instance() {
  // Never destroyed, see the header.
  static DeviceRegistry& registry =
      *std::make_unique<DeviceRegistry>(builtin_devices(builtin_selection(std::getenv("NNRT_DEVICES"))))
           .release();
  return registry;
}

}  // namespace nnrt
