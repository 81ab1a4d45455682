#include "tools/plugins/base/chosen_device.h"

#include "core/base/text.h"
#include "core/platform/log.h"
#include "tools/plugins/base/api_call.h"

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>
#include <atomic>
#include <cctype>

namespace nnrt::plugins {
namespace {

constexpr std::string_view kAutoName = "NNRt auto";

bool is_software(const PluginDevice& device) {
  size_t length = 0;
  if (OH_NNRt_DescribeDevice(device.id, nullptr, 0, &length) != OH_NN_SUCCESS) return false;
  std::string text(length + 1, '\0');
  return OH_NNRt_DescribeDevice(device.id, text.data(), text.size(), &length) == OH_NN_SUCCESS &&
         text.find(R"("kind":"software")") != text.npos;
}

// A type means hardware, if there is any.
PluginDevice hardware_of(const PluginDevice& found, const std::vector<PluginDevice>& devices) {
  if (found.type != OH_NN_GPU || !is_software(found)) return found;
  for (const PluginDevice& other : devices)
    if (other.type == OH_NN_GPU && !is_software(other)) return other;
  static std::atomic_flag warned;
  if (!warned.test_and_set())
    log(LogLevel::warning, cat(found.name, " is a software GPU; the CPU device is faster (device `auto`)."));
  return found;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

Result<PluginDevice> device_with(size_t id) {
  const char* name = nullptr;
  PluginDevice device{id, "", OH_NN_OTHERS};
  NNRT_TRY(check(OH_NNDevice_GetName(id, &name), "OH_NNDevice_GetName"));
  NNRT_TRY(check(OH_NNDevice_GetType(id, &device.type), "OH_NNDevice_GetType"));
  device.name = name;
  return device;
}

bool has_type(const PluginDevice& device, std::string_view wanted) {
  return (wanted == "gpu" && device.type == OH_NN_GPU) || (wanted == "cpu" && device.type == OH_NN_CPU) ||
         (wanted == "accelerator" && device.type == OH_NN_ACCELERATOR);
}

}  // namespace

bool PluginDevice::is_auto() const { return name == kAutoName; }

Result<std::vector<PluginDevice>> list_devices() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  NNRT_TRY(check(OH_NNDevice_GetAllDevicesID(&ids, &count), "OH_NNDevice_GetAllDevicesID"));
  std::vector<PluginDevice> devices;
  // A failing driver does not affect other devices.
  for (uint32_t i = 0; i < count; ++i)
    if (auto device = device_with(ids[i]); device.ok()) devices.push_back(std::move(device).value());
  if (devices.empty()) return Error{Code::failed, "NNRt has no device."};
  return devices;
}

Result<PluginDevice> find_device(const std::string& wanted) {
  const std::string text = lower(wanted);
  size_t cpu = 0;  // found without opening drivers
  if (text == "cpu" && OH_NNRt_FindDevice(OH_NN_CPU, &cpu) == OH_NN_SUCCESS) return device_with(cpu);
  NNRT_ASSIGN(const std::vector<PluginDevice> devices, list_devices());
  const auto first = [&](auto fits) { return std::ranges::find_if(devices, fits); };
  if (text == "auto") {
    const auto found = std::ranges::find_if(devices, &PluginDevice::is_auto);
    return found == devices.end() ? devices.front() : *found;
  }
  auto found = first([&](const PluginDevice& device) {
    return lower(device.name) == text || std::to_string(device.id) == text || has_type(device, text);
  });
  if (found == devices.end())
    found = first([&](const PluginDevice& device) { return lower(device.name).find(text) != text.npos; });
  if (found != devices.end()) return has_type(*found, text) ? hardware_of(*found, devices) : *found;
  std::string names;
  for (const PluginDevice& device : devices) names += cat(names.empty() ? "" : ", ", device.name);
  return invalid("Device (", wanted, ") is not one of: ", names, ".");
}

}  // namespace nnrt::plugins
