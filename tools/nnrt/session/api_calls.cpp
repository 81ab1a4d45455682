#include "tools/nnrt/session/api_calls.h"

#include "tools/import/last_error.h"
#include "tools/nnrt/base/lower_case.h"
#include "tools/nnrt/base/output.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <dlfcn.h>
#include <names.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <span>

namespace nnrt::tool {
namespace {

// Matches the full name, the id, the type or "auto", which a plugin's name may contain too.
bool is_named(const Device& device, const std::string& wanted) {
  return wanted == lower_case(device.name) || (wanted == "auto" && device.name.ends_with("NNRt auto")) ||
         wanted == std::to_string(device.id) || (device.fault.empty() && wanted == type_name(device.type));
}

std::string list_of(std::span<const Device> devices) {
  std::string names;
  for (const Device& device : devices)
    names += cat(names.empty() ? "" : ", ", device.name, " (",
                 device.fault.empty() ? type_name(device.type) : "unavailable", ")");
  return names;
}

// Adds the driver's file for a plugin device.
std::string with_plugin(const Device& device) {
  const auto json = nlohmann::json::parse(describe(device), nullptr, false);
  const std::string file = json.is_object() ? json.value("plugin_file", "") : "";
  return cat(device.name, file.empty() ? "" : cat(", of plugin ", file, ","));
}

Result<Device> available(Device device) {
  if (device.fault.empty()) return device;
  return Error{Code::failed, cat("Device ", with_plugin(device), " is unavailable. ", device.fault)};
}

bool is_software(const Device& device) {
  const auto json = nlohmann::json::parse(describe(device), nullptr, false);
  return json.is_object() && json.value("kind", "") == "software";
}

// A type means hardware, if there is any.
Device hardware_of(Device found, std::span<const Device> devices) {
  if (found.type != OH_NN_GPU || !is_software(found)) return found;
  for (const Device& other : devices)
    if (other.fault.empty() && other.type == OH_NN_GPU && !is_software(other)) return other;
  static std::atomic_flag warned;
  if (!warned.test_and_set())
    tell(cat(short_name(found.name), " is a software GPU; the CPU device is faster (`--device auto`)."));
  return found;
}

std::string why_no_gpu() {
  const char* const selected = std::getenv("NNRT_DEVICES");
  const std::string_view words = selected == nullptr ? "vulkan" : selected;
  if (words.find("vulkan") == words.npos && words.find("gpu") == words.npos)
    return cat(" NNRT_DEVICES (", words, ") leaves GPUs out.");
  return " No Vulkan driver offers one: install that of the GPU's vendor, or for AMD, Intel and software "
         "GPUs "
         "the package mesa-vulkan-drivers. `nnrt doctor` says what was found.";
}

Result<std::vector<Device>> some_devices() {
  NNRT_ASSIGN(std::vector<Device> devices, list_devices());
  if (!devices.empty()) return devices;
  return Error{Code::failed,
               "No device is available. (NNRT_DEVICES and VK_DRIVER_FILES choose which are offered.)"};
}

}  // namespace

namespace {

Device device_with(size_t id) {
  const char* name = nullptr;
  Device device{id, std::to_string(id), OH_NN_OTHERS, ""};
  Status known = check(OH_NNDevice_GetName(id, &name), "OH_NNDevice_GetName");
  if (name != nullptr) device.name = name;
  if (known.ok()) known = check(OH_NNDevice_GetType(id, &device.type), "OH_NNDevice_GetType");
  if (!known.ok()) device.fault = std::move(known).error().message;
  return device;
}

// The CPU by its type or id, without listing devices, which opens their drivers.
std::optional<Device> find_cpu(const std::string& wanted) {
  const auto find =
      reinterpret_cast<decltype(&OH_NNRt_FindDevice)>(dlsym(RTLD_DEFAULT, "OH_NNRt_FindDevice"));
  size_t id = 0;
  const bool may_be_id =
      !wanted.empty() && std::ranges::all_of(wanted, [](char c) { return c >= '0' && c <= '9'; });
  if (find == nullptr || (!may_be_id && wanted != type_name(OH_NN_CPU)) ||
      find(OH_NN_CPU, &id) != OH_NN_SUCCESS)
    return {};
  if (may_be_id && wanted != std::to_string(id)) return {};
  return device_with(id);
}

}  // namespace

Status check(OH_NN_ReturnCode code, std::string_view call) {
  if (code == OH_NN_SUCCESS) return {};
  return Error{Code::failed, import::with_last_error(cat(call, " returns ", conformance::nameOf(code), "."))};
}

Error made_nothing(std::string_view call) {
  return {Code::failed, import::with_last_error(cat(call, " returned no object."))};
}

void tell_errors_once() { setenv("NNRT_LOG", "no_call_errors", 0); }

std::string_view type_name(OH_NN_DeviceType type) {
  constexpr std::string_view kNames[] = {"other", "cpu", "gpu", "accelerator"};
  const auto number = static_cast<size_t>(type);
  return number < std::size(kNames) ? kNames[number] : "unknown";
}

void expect_steady_runs() { setenv("NNRT_VULKAN_SHADERS", "optimized", 0); }

Result<std::vector<Device>> list_devices() {
  const size_t* ids = nullptr;
  uint32_t count = 0;
  NNRT_TRY(check(OH_NNDevice_GetAllDevicesID(&ids, &count), "OH_NNDevice_GetAllDevicesID"));
  std::vector<Device> devices;
  for (uint32_t i = 0; i < count; ++i) devices.push_back(device_with(ids[i]));
  return devices;
}

Result<Device> find_device(const std::string& wanted) {
  if (wanted.empty()) return invalid("The name of the device is empty.");
  const std::string name = lower_case(wanted);
  if (std::optional<Device> cpu = find_cpu(name)) return available(*std::move(cpu));
  NNRT_ASSIGN(const std::vector<Device> devices, some_devices());
  const auto found =
      std::ranges::find_if(devices, [&](const Device& device) { return is_named(device, name); });
  if (found != devices.end())
    return available(name == type_name(found->type) ? hardware_of(*found, devices) : *found);
  std::vector<Device> meant;
  std::ranges::copy_if(devices, std::back_inserter(meant), [&](const Device& device) {
    return lower_case(device.name).find(name) != std::string::npos;
  });
  if (meant.size() == 1) return available(meant.front());
  if (meant.empty())
    return invalid("Device (", wanted, ") is not one of: ", list_of(devices), ".",
                   name == type_name(OH_NN_GPU) ? why_no_gpu() : "");
  return invalid("Device (", wanted, ") is ambiguous: ", list_of(meant), ".");
}

Result<Device> first_device() {
  NNRT_ASSIGN(const std::vector<Device> devices, some_devices());
  const auto found = std::ranges::find(devices, std::string(), &Device::fault);
  return available(found == devices.end() ? devices.front() : *found);
}

bool may_share_memory(const OH_NNExecutor* executor, size_t input, size_t output) {
  const auto ask =
      reinterpret_cast<decltype(&OH_NNRt_MayShareMemory)>(dlsym(RTLD_DEFAULT, "OH_NNRt_MayShareMemory"));
  bool may = false;
  return ask != nullptr && ask(executor, input, output, &may) == OH_NN_SUCCESS && may;
}

Status keep_on_device(NN_Tensor* tensor) {
  const auto keep =
      reinterpret_cast<decltype(&OH_NNRt_KeepOnDevice)>(dlsym(RTLD_DEFAULT, "OH_NNRt_KeepOnDevice"));
  return keep == nullptr ? Status() : check(keep(tensor), "OH_NNRt_KeepOnDevice");
}

Status grow_in_runs(NN_Tensor* tensor) {
  const auto grow =
      reinterpret_cast<decltype(&OH_NNRt_GrowInRuns)>(dlsym(RTLD_DEFAULT, "OH_NNRt_GrowInRuns"));
  return grow == nullptr ? Status() : check(grow(tensor), "OH_NNRt_GrowInRuns");
}

Status synchronize(NN_Tensor* tensor, OH_NNRt_SyncDirection direction) {
  const auto sync =
      reinterpret_cast<decltype(&OH_NNRt_SyncTensor)>(dlsym(RTLD_DEFAULT, "OH_NNRt_SyncTensor"));
  return sync == nullptr ? Status() : check(sync(tensor, direction), "OH_NNRt_SyncTensor");
}

Result<std::optional<OfflineModelDevice>> device_of_offline_model(const std::string& path) {
  const auto describe_model = reinterpret_cast<decltype(&OH_NNRt_DescribeOfflineModel)>(
      dlsym(RTLD_DEFAULT, "OH_NNRt_DescribeOfflineModel"));
  if (describe_model == nullptr) return std::optional<OfflineModelDevice>();
  size_t length = 0;
  NNRT_TRY(check(describe_model(path.c_str(), nullptr, 0, &length), "OH_NNRt_DescribeOfflineModel"));
  std::string text(length + 1, '\0');
  NNRT_TRY(
      check(describe_model(path.c_str(), text.data(), text.size(), &length), "OH_NNRt_DescribeOfflineModel"));
  const auto json = nlohmann::json::parse(text.c_str(), nullptr, false);
  if (!json.is_object() || !json.contains("device_id")) return std::optional<OfflineModelDevice>();
  return std::optional(OfflineModelDevice{json.value("device_id", ""), json.value("device", ""),
                                          json.value("float16", false)});
}

Result<std::optional<import::Description>> description_of_offline_model(const std::string& path) {
  const auto get_note =
      reinterpret_cast<decltype(&OH_NNRt_GetModelNote)>(dlsym(RTLD_DEFAULT, "OH_NNRt_GetModelNote"));
  if (get_note == nullptr) return std::optional<import::Description>();
  size_t size = 0;
  NNRT_TRY(check(get_note(path.c_str(), nullptr, 0, &size), "OH_NNRt_GetModelNote"));
  if (size == 0) return std::optional<import::Description>();
  import::Bytes note(size);
  NNRT_TRY(check(get_note(path.c_str(), note.data(), note.size(), &size), "OH_NNRt_GetModelNote"));
  NNRT_ASSIGN(import::Description description, import::decode_description(note));
  return std::optional(std::move(description));
}

// clang-format takes a line that starts with `import` for a statement.
nnrt::import::Bytes note_of_offline_model(const std::string& path) {
  const auto get_note =
      reinterpret_cast<decltype(&OH_NNRt_GetModelNote)>(dlsym(RTLD_DEFAULT, "OH_NNRt_GetModelNote"));
  size_t size = 0;
  if (get_note == nullptr || get_note(path.c_str(), nullptr, 0, &size) != OH_NN_SUCCESS) return {};
  import::Bytes note(size);
  if (get_note(path.c_str(), note.data(), note.size(), &size) != OH_NN_SUCCESS) return {};
  note.resize(std::min(size, note.size()));
  return note;
}

Status set_note(OH_NNCompilation* compilation, const import::Bytes& note) {
  const auto set =
      reinterpret_cast<decltype(&OH_NNRt_SetModelNote)>(dlsym(RTLD_DEFAULT, "OH_NNRt_SetModelNote"));
  return set == nullptr ? Status()
                        : check(set(compilation, note.data(), note.size()), "OH_NNRt_SetModelNote");
}

Status attach_description(OH_NNCompilation* compilation, const import::Description& description) {
  return set_note(compilation, import::encode_description(description));
}

std::string short_name(const std::string& name) {
  const size_t end = name.rfind('_');
  if (end == std::string::npos) return name;
  const std::string vendor = lower_case(name.substr(end + 1));
  const std::string first_word = vendor.substr(0, vendor.find(' '));
  return !first_word.empty() && lower_case(name).starts_with(first_word) ? name.substr(0, end) : name;
}

std::string describe(const Device& device) {
  const auto describe_device =
      reinterpret_cast<decltype(&OH_NNRt_DescribeDevice)>(dlsym(RTLD_DEFAULT, "OH_NNRt_DescribeDevice"));
  size_t length = 0;
  if (describe_device != nullptr && describe_device(device.id, nullptr, 0, &length) == OH_NN_SUCCESS) {
    std::string text(length + 1, '\0');
    if (describe_device(device.id, text.data(), text.size(), &length) == OH_NN_SUCCESS) {
      text.resize(length);
      return text;
    }
  }
  return nlohmann::ordered_json{
      {"id", std::to_string(device.id)}, {"name", device.name}, {"type", type_name(device.type)}}
      .dump();
}

}  // namespace nnrt::tool
