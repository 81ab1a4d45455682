// The devices of this process, in the order clients see; enumerated once and then fixed. The CPU device is
// available before that, so that clients of the CPU alone never open a driver.
#pragma once

#include "core/device/device.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt {

class DeviceRegistry {
 public:
  using Devices = std::vector<std::shared_ptr<Device>>;
  explicit DeviceRegistry(Devices devices);
  // `enumerate` returns all devices, including `cpu`, when a client first needs another one. `cpu` may be
  // null.
  DeviceRegistry(std::shared_ptr<Device> cpu, std::function<Devices()> enumerate);

  // These three enumerate, unless the answer is the CPU.
  std::span<const size_t> ids() const;
  Device* find(size_t id) const;            // 0: the first; null if not found
  Device* first_of(DeviceType type) const;  // null if there is none
  Device* cpu() const;                      // the built-in CPU device; null if none

 private:
  void enumerate_once() const;
  void add(std::shared_ptr<Device> device) const;

  std::shared_ptr<Device> cpu_;  // null: only enumeration finds it
  std::function<Devices()> enumerate_;
  mutable std::mutex mutex_;  // of enumeration
  mutable bool is_enumerated_ = false;
  mutable Devices devices_;  // after enumeration
  mutable std::vector<size_t> ids_;
};

// Appends a device. forbidden: the registry already exists.
Status register_device(std::shared_ptr<Device> device);
// Returns the registered devices; none can be added after that.
std::vector<std::shared_ptr<Device>> take_registered_devices();

// A stable id for a device name, never 0.
size_t device_id(std::string_view name);

// Selects the built-in devices: NNRT_DEVICES, a list of "cpu", "vulkan" (or "gpu") and "auto", or "none".
// Unset: all.
// Unknown words are logged and ignored.
struct BuiltinSelection {
  bool cpu = true;
  bool vulkan = true;
  bool chooser =
      true;  // "auto"; if it is the only one, its members are all devices but are not listed themselves
  std::vector<std::string> order;  // of these words, as listed; empty: the default order
};
BuiltinSelection builtin_selection(const char* text);
// Sorts the devices by that order. Default: GPUs, the CPU and other devices, software GPUs, the auto device.
void sort_devices(std::vector<std::shared_ptr<Device>>& devices, const BuiltinSelection& selection);
// The prefix of device names that clients see: "prefix:NPU_" in that list, which selects nothing.
std::string name_prefix(const char* text);

// Whether clients pass extensions with MindSpore's graphs: "graph_extensions" in that list, likewise.
bool passes_graph_extensions(const char* text);

// Selects the devices that run in their own process: NNRT_HOSTED, a list of "cpu", "vulkan", "plugins" (those
// of NNRT_PLUGINS), and paths (containing '/') of sockets of hosts with further devices. Unset: none.
struct HostedSelection {
  bool cpu = false;
  bool vulkan = false;
  bool plugins = false;
  std::vector<std::string> sockets;
};
HostedSelection hosted_selection(const char* text);

}  // namespace nnrt
