#include "backends/plugin/plugin_loader.h"

#include "backends/plugin/driver_call.h"
#include "backends/plugin/plugin_device.h"
#include "core/platform/log.h"

#include <neural_network_runtime/hdi/plugin.h>

#include <dlfcn.h>

namespace nnrt::plugin {
namespace {

namespace hdi = ::nnrt::hdi::V2_0;

constexpr uint32_t kMaxDevices = 64;

struct Library {
  decltype(&NNRtPlugin_GetAbi) abi = nullptr;
  decltype(&NNRtPlugin_CreateDevice) create = nullptr;
  decltype(&NNRtPlugin_DestroyDevice) destroy = nullptr;
};

std::string version_name(uint32_t abi) { return cat(abi >> 16, ".", abi & 0xffffu); }

template <typename Function>
Status find(void* handle, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, symbol));
  if (function != nullptr) return {};
  return invalid("It does not export ", symbol, ", so it is not a plugin of this runtime.");
}

// Never unloaded, because its threads and objects may still exist.
Result<Library> open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return invalid("It cannot be loaded: ", dlerror(), ".");
  Library library;
  NNRT_TRY(find(handle, "NNRtPlugin_GetAbi", library.abi));
  NNRT_TRY(find(handle, "NNRtPlugin_CreateDevice", library.create));
  NNRT_TRY(find(handle, "NNRtPlugin_DestroyDevice", library.destroy));
  uint32_t abi = 0;
  NNRT_TRY(call({"NNRtPlugin_GetAbi", Code::failed}, [&] {
    abi = library.abi();
    return 0;
  }));
  if (abi == ::nnrt::hdi::kPluginAbi) return library;
  return invalid("It was built for version ", version_name(abi),
                 " of the plugin interface; this runtime has ", version_name(::nnrt::hdi::kPluginAbi), ".");
}

// Null if there is no device with this index.
Result<std::shared_ptr<Device>> device_of(const Library& library, const std::string& path, uint32_t index) {
  hdi::INnrtDevice* made = nullptr;
  NNRT_TRY(call({"NNRtPlugin_CreateDevice", Code::failed}, [&] {
    made = library.create(::nnrt::hdi::kPluginAbi, index);
    return 0;
  }));
  if (made == nullptr) return std::shared_ptr<Device>();
  const auto destroy = [destroy = library.destroy](hdi::INnrtDevice* device) {
    static_cast<void>(call({"NNRtPlugin_DestroyDevice", Code::failed}, [&] {
      destroy(device);
      return 0;
    }));
  };
  return make_device(std::shared_ptr<hdi::INnrtDevice>(made, destroy), path);
}

void add_devices(const std::string& path, std::vector<std::shared_ptr<Device>>& devices) {
  const auto complain = [&](const Error& error) {
    log(LogLevel::error, cat("Plugin ", path, " is skipped. ", error.message));
  };
  auto library = open(path);
  if (!library.ok()) return complain(library.error());
  const size_t before = devices.size();
  for (uint32_t index = 0; index < kMaxDevices; ++index) {
    auto device = device_of(library.value(), path, index);
    if (!device.ok()) {
      complain(device.error());
      continue;
    }
    if (device.value() == nullptr) break;
    devices.push_back(std::move(device).value());
  }
  if (devices.size() == before) log(LogLevel::warning, cat("Plugin ", path, " has no device."));
}

}  // namespace

std::vector<std::shared_ptr<Device>> load_devices(std::string_view paths) {
  std::vector<std::shared_ptr<Device>> devices;
  for (const std::string& path : list_entries(paths, ':')) add_devices(path, devices);
  return devices;
}

}  // namespace nnrt::plugin
