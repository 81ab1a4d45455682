#include "core/device/device_properties.h"

namespace nnrt {

std::string text_property(const Device& device, std::string_view name) {
  for (const DeviceProperty& property : device.properties()) {
    const auto* const text = std::get_if<std::string>(&property.value);
    if (property.name == name && text != nullptr) return *text;
  }
  return {};
}

bool is_software_gpu(const Device& device) { return text_property(device, "kind") == "software"; }

}  // namespace nnrt
