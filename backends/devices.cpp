#include "backends/devices.h"

#include "backends/cpu/engine/cpu_device.h"
#include "backends/host/client/host_client.h"
#include "backends/plugin/plugin_device.h"
#include "backends/plugin/plugin_loader.h"
#include "core/base/text.h"
#include "core/placement/auto_device.h"
#include "core/platform/descriptor.h"
#include "core/platform/fork.h"
#include "core/platform/settings.h"
#include "core/platform/settings_check.h"

#include <algorithm>
#include <iterator>
#ifdef NNRT_VULKAN
#include "backends/vulkan/runtime/vulkan_devices.h"
#endif

namespace nnrt {

namespace {

using Devices = std::vector<std::shared_ptr<Device>>;

void add(Devices& devices, Devices more) { std::ranges::move(more, std::back_inserter(devices)); }

Devices vulkan_devices() {
#ifdef NNRT_VULKAN
  return vulkan::find_devices();
#else
  return {};
#endif
}

// Each hosted kind gets its own process. `cpu` is the CPU device of this process.
Devices find_devices(const BuiltinSelection& selection, const HostedSelection& hosted,
                     const std::shared_ptr<Device>& cpu) {
  const bool only_chooser = selection.chooser && !selection.vulkan && !selection.cpu;
  Devices devices;
  if (selection.vulkan || only_chooser)
    add(devices, hosted.vulkan ? host::start_devices({"--devices", "vulkan"}) : vulkan_devices());
  if (selection.cpu || only_chooser)
    add(devices, hosted.cpu ? host::start_devices({"--devices", "cpu"}) : Devices{cpu});
  for (const std::string& path : hosted.sockets) add(devices, host::connect_devices(path));
  if (selection.chooser && !devices.empty()) {
    auto chooser = make_auto_device(devices);
    if (only_chooser) return {std::move(chooser)};
    devices.push_back(std::move(chooser));
  }
  sort_devices(devices, selection);
  return devices;
}

}  // namespace

std::vector<std::shared_ptr<Device>> builtin_devices(const BuiltinSelection& selection) {
  return find_devices(selection, {}, cpu::make_device());
}

Result<std::shared_ptr<Device>> plugin_device(std::shared_ptr<hdi::V2_0::INnrtDevice> driver) {
  return plugin::make_device(std::move(driver));
}

namespace {

// Each hosted library gets its own process.
Devices plugin_devices(const char* paths, bool is_hosted) {
  if (paths == nullptr) return {};
  if (!is_hosted) return plugin::load_devices(paths);
  Devices devices;
  for (const std::string& path : list_entries(paths, ':'))
    add(devices, host::start_devices({"--devices", "none", "--plugins", path}));
  return devices;
}

// A plugin is never device 0 if there are other devices, so that clients that choose no device are not
// affected.
Devices all_devices(const BuiltinSelection& selection, const HostedSelection& hosted,
                    const std::shared_ptr<Device>& cpu) {
  StandardStreams held;
  Devices devices = find_devices(selection, hosted, cpu);
  add(devices, plugin_devices(setting_text(Setting::plugins), hosted.plugins));
  add(devices, take_registered_devices());
  // Drivers in this process may open files later too, such as memory for compiled kernels.
  if (!std::ranges::all_of(devices, [](const auto& device) { return is_own_cpu(*device); })) held.keep();
  return devices;
}

DeviceRegistry* make_registry() {
  expect_forks();
  check_environment();
  const BuiltinSelection selection = builtin_selection(setting_text(Setting::devices));
  const HostedSelection hosted = hosted_selection(setting_text(Setting::hosted));
  const std::shared_ptr<Device> cpu = cpu::make_device();
  const bool is_listed = selection.cpu && !hosted.cpu;
  return std::make_unique<DeviceRegistry>(is_listed ? cpu : nullptr,
                                          [=] { return all_devices(selection, hosted, cpu); })
      .release();
}

}  // namespace

DeviceRegistry& device_registry() {
  static DeviceRegistry& registry = *make_registry();  // never destroyed; see the header
  return registry;
}

}  // namespace nnrt
