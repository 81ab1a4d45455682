#include "tools/plugins/onnxruntime/run/devices.h"

#include "core/base/text.h"
#include "tools/import/last_error.h"

#include <neural_network_runtime/neural_network_core.h>
#include <neural_network_runtime/nnrt_extensions.h>

#include <algorithm>

namespace nnrt::ep {
namespace {

constexpr std::pair<const char*, OH_NN_DeviceType> kTypes[] = {
    {"auto", OH_NN_OTHERS}, {"cpu", OH_NN_CPU}, {"gpu", OH_NN_GPU}, {"accelerator", OH_NN_ACCELERATOR}};

std::string description_of(size_t id) {
  size_t length = 0;
  if (OH_NNRt_DescribeDevice(id, nullptr, 0, &length) != OH_NN_SUCCESS) return "";
  std::string text(length + 1, '\0');
  if (OH_NNRt_DescribeDevice(id, text.data(), text.size(), &length) != OH_NN_SUCCESS) return "";
  text.resize(length);
  return text;
}

// Moves `at` behind the string that starts there.
std::string take_string(const std::string& json, size_t& at) {
  std::string text;
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
    if (at < json.size()) text.push_back(json[at]);
  }
  ++at;
  return text;
}

}  // namespace

bool Device::is_software() const {
  const auto kind = facts.find("kind");
  return kind != facts.end() && kind->second == "software";
}

std::map<std::string, std::string> facts_of(const std::string& json) {
  std::map<std::string, std::string> facts;
  for (size_t at = json.find('"'); at < json.size(); at = json.find('"', at)) {
    const std::string name = take_string(json, at);
    at = json.find_first_not_of(": \n", at);
    if (at >= json.size()) break;
    if (json[at] == '"') {
      facts[name] = take_string(json, at);
    } else {
      const size_t end = std::min(json.find_first_of(",}\n", at), json.size());
      facts[name] = json.substr(at, end - at);
      at = end;
    }
  }
  return facts;
}

Result<std::vector<Device>> list_devices() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  if (OH_NNDevice_GetAllDevicesID(&ids, &count) != OH_NN_SUCCESS)
    return Error{Code::failed, import::with_last_error("The devices cannot be listed.")};
  std::vector<Device> devices;
  for (uint32_t i = 0; i < count; ++i) {
    Device device;
    const char* name = nullptr;
    device.id = ids[i];
    // A device whose driver fails is left out.
    if (OH_NNDevice_GetName(ids[i], &name) != OH_NN_SUCCESS) continue;
    if (OH_NNDevice_GetType(ids[i], &device.type) != OH_NN_SUCCESS) continue;
    device.name = name;
    device.facts = facts_of(description_of(ids[i]));
    devices.push_back(std::move(device));
  }
  return devices;
}

Result<Device> find_device(const std::vector<Device>& devices, const std::string& wanted) {
  std::string names;
  for (const auto& [type, value] : kTypes) {
    if (wanted != type) continue;
    const auto found = std::ranges::find(devices, value, &Device::type);
    if (found != devices.end()) return *found;
  }
  if (wanted == "auto" && devices.size() == 1) return devices[0];
  for (const Device& device : devices) {
    if (device.name == wanted) return device;
    names.append(names.empty() ? "" : ", ").append(device.name);
  }
  for (const Device& device : devices)
    if (!wanted.empty() && device.name.find(wanted) != std::string::npos) return device;
  return Error{Code::unavailable_device,
               cat("There is no device ", wanted, ". The devices are ", names, ".")};
}

}  // namespace nnrt::ep
