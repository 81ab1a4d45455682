// The devices of this process, in the order that clients see; found once and then fixed.
#pragma once

#include "core/device.h"

#include <memory>
#include <string_view>
#include <vector>

namespace nnrt {

class DeviceRegistry {
 public:
  // The registry of the process, defined in backends/builtin.cpp, which knows the devices. They are never
  // destroyed: drivers do not survive exit handlers.
  static DeviceRegistry& instance();

  explicit DeviceRegistry(std::vector<std::shared_ptr<Device>> devices);

  std::span<const size_t> ids() const { return ids_; }
  Device* find(size_t id) const;  // 0: the first; null where there is none
  Device* cpu() const;            // null where there is none

 private:
  std::vector<std::shared_ptr<Device>> devices_;
  std::vector<size_t> ids_;
};

// A stable number for a device's name, never 0.
size_t device_id(std::string_view name);

// Which of the devices that come with the runtime to offer: NNRT_DEVICES, a list of "cpu", "vulkan" and
// "auto", or "none". Not set: all. An unknown word is logged and ignored.
struct BuiltinSelection {
  bool cpu = true;
  bool vulkan = true;
  bool chooser = true;  // "auto"; named alone, it chooses among all, which are not offered themselves
};
BuiltinSelection builtin_selection(const char* text);

// Defined in backends/builtin.cpp as well: GPUs (real ones first), the CPU, then
// the device that chooses among these, where there are any.
std::vector<std::shared_ptr<Device>> builtin_devices(const BuiltinSelection& selection);

}  // namespace nnrt
