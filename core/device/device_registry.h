// The devices of this process, in the order that clients see; found once and then fixed.
#pragma once

#include "core/device/device.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt::hdi::V2_0 {
class INnrtDevice;
}

namespace nnrt {

class DeviceRegistry {
 public:
  // The registry of the process, defined in backends/builtin.cpp, which knows the devices. They are never
  // destroyed: drivers do not survive exit handlers.
  static DeviceRegistry& instance();

  explicit DeviceRegistry(std::vector<std::shared_ptr<Device>> devices);

  std::span<const size_t> ids() const { return ids_; }
  Device* find(size_t id) const;  // 0: the first; null where there is none
  Device* cpu() const;            // the runtime's; null where there is none

 private:
  std::vector<std::shared_ptr<Device>> devices_;
  std::vector<size_t> ids_;
};

// Adds a device behind all others. forbidden: the registry was made already.
Status register_device(std::shared_ptr<Device> device);
// Takes the devices that were added; none can be added from now on.
std::vector<std::shared_ptr<Device>> take_registered_devices();

// Defined in backends/builtin.cpp: the device of a plugin's object.
Result<std::shared_ptr<Device>> plugin_device(std::shared_ptr<hdi::V2_0::INnrtDevice> driver);

// A stable number for a device's name, never 0.
size_t device_id(std::string_view name);

// Selects the devices that come with the runtime: NNRT_DEVICES, a list of "cpu", "vulkan" and "auto", or
// "none". Not set: all. An unknown word is logged and ignored.
struct BuiltinSelection {
  bool cpu = true;
  bool vulkan = true;
  bool chooser = true;  // "auto"; named alone, it chooses among all, which are not offered themselves
};
BuiltinSelection builtin_selection(const char* text);

// Selects the devices that run in a process of their own: NNRT_HOSTED, a list of "cpu", "vulkan" and
// "plugins" (those of NNRT_PLUGINS), and of paths (with a '/') of sockets at which hosts with further devices
// listen. Not set: none.
struct HostedSelection {
  bool cpu = false;
  bool vulkan = false;
  bool plugins = false;
  std::vector<std::string> sockets;
};
HostedSelection hosted_selection(const char* text);

// Defined in backends/builtin.cpp as well: GPUs (software ones last), the CPU, then the device that chooses
// among these, if there are any.
std::vector<std::shared_ptr<Device>> builtin_devices(const BuiltinSelection& selection);

}  // namespace nnrt
