#include "nnapi/device/device_list.h"

#include "backends/devices.h"
#include "core/device/device_properties.h"
#include "nnapi/base/client_call.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace nnrt::nnapi {
namespace {

// The name by which clients recognize the CPU, and skip it when looking for accelerators.
constexpr const char* kCpuName = "nnapi-reference";

int32_t type_of(const Device& device) {
  const auto type = device.type();
  if (!type.ok()) return ANEURALNETWORKS_DEVICE_UNKNOWN;
  switch (type.value()) {
    case DeviceType::cpu: return ANEURALNETWORKS_DEVICE_CPU;
    case DeviceType::gpu:
      // Software Vulkan drivers run on the CPU.
      return is_software_gpu(device) ? ANEURALNETWORKS_DEVICE_CPU : ANEURALNETWORKS_DEVICE_GPU;
    case DeviceType::accelerator: return ANEURALNETWORKS_DEVICE_ACCELERATOR;
    case DeviceType::others: break;
  }
  return ANEURALNETWORKS_DEVICE_OTHER;
}

// Lower case without spaces: "vulkan-swiftshader-device-subzero".
std::string name_of(const Device& device) {
  std::string text = device.info().name;
  text = text.substr(0, text.find('_'));  // drops the driver
  std::string name = text_property(device, "vulkan").empty() ? "" : "vulkan";
  bool separate = true;
  for (const char character : text) {
    if (std::isalnum(static_cast<unsigned char>(character)) == 0) {
      separate = true;
      continue;
    }
    if (separate && !name.empty()) name += '-';
    separate = false;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return name.empty() ? "device" : name;
}

std::string version_of(const Device& device) {
  std::string text = text_property(device, "driver");
  if (text.empty()) text = text_property(device, "processor");
  return text.empty() ? device.info().vendor : text;
}

// GPUs first, then other devices, then the CPU.
int place_of(const Device& device) {
  if (is_own_cpu(device)) return 2;
  return text_property(device, "vulkan").empty() ? 1 : 0;
}

std::vector<Device*> devices_of(const DeviceRegistry& registry) {
  std::vector<Device*> devices, members;
  for (const size_t id : registry.ids()) {
    Device* const device = registry.find(id);
    const std::span<Device* const> chosen_from = device->members();
    if (chosen_from.empty()) devices.push_back(device);
    members.insert(members.end(), chosen_from.begin(), chosen_from.end());
  }
  if (devices.empty()) devices = members;  // only the auto device is available
  std::ranges::stable_sort(devices, {}, [](const Device* device) { return place_of(*device); });
  return devices;
}

}  // namespace

DeviceList list_devices(const DeviceRegistry& registry) {
  DeviceList list;
  std::set<std::string> names;
  const std::vector<Device*> devices = devices_of(registry);
  for (Device* const device : devices) {
    auto listed = std::make_unique<ANeuralNetworksDevice>();
    listed->device = device;
    listed->version = version_of(*device);
    listed->type = type_of(*device);
    const bool is_reference = device == devices.back() && is_own_cpu(*device);
    const std::string name = is_reference ? kCpuName : name_of(*device);
    listed->name = name;
    for (int suffix = 2; !names.insert(listed->name).second; ++suffix) listed->name = cat(name, "-", suffix);
    list.push_back(std::move(listed));
  }
  return list;
}

const DeviceList& all_devices() {
  static const DeviceList& list = *std::make_unique<DeviceList>(list_devices(device_registry())).release();
  return list;
}

Outcome chosen_devices(const ANeuralNetworksDevice* const* given, uint32_t count,
                       std::vector<Device*>& devices) {
  if (count == 0) return bad_data("The list of devices is empty.");
  std::set<const ANeuralNetworksDevice*> chosen;
  for (uint32_t i = 0; i < count; ++i) {
    NNRT_TRY(require({{"devices[i]", given[i]}}));
    if (!chosen.insert(given[i]).second) return bad_data("Device ", i, " is listed twice.");
  }
  devices.clear();
  for (const auto& device : all_devices()) {
    if (chosen.erase(device.get()) != 0) devices.push_back(device->device);
  }
  if (chosen.empty()) return {};
  return bad_data("The list contains a pointer that is not a device.");
}

}  // namespace nnrt::nnapi
