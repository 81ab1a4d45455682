#include "nnapi/plan/compile_target.h"

#include "backends/devices.h"
#include "core/base/text.h"
#include "core/placement/auto_device.h"

#include <algorithm>

namespace nnrt::nnapi {
namespace {

// The auto device, or else the first.
Device* default_device(const DeviceRegistry& registry) {
  for (const size_t id : registry.ids()) {
    Device* const device = registry.find(id);
    if (!device->members().empty()) return device;
  }
  return registry.find(0);
}

// A non-owning pointer: the registry owns the device.
std::shared_ptr<Device> borrowed(Device* device) {
  return {device, [](Device*) {}};
}

// A file name derived from the client's token.
std::string name_of(const Bytes& token) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string name = "nnapi_";
  for (const std::byte byte : token) {
    name += kDigits[size_t(byte) >> 4];
    name += kDigits[size_t(byte) & 15];
  }
  return name;
}

}  // namespace

Result<CompileTarget> compile_target(const Target& target, bool relaxed) {
  CompileTarget result;
  result.cache_directory = target.cache_directory;
  result.cache_name = name_of(target.cache_token);
  result.options.performance = target.performance;
  result.options.priority = target.priority;
  if (target.devices.size() == 1) {
    result.chosen = target.devices[0];
  } else if (!target.devices.empty()) {
    std::vector<std::shared_ptr<Device>> members;
    for (Device* const device : target.devices) members.push_back(borrowed(device));
    result.owned = make_auto_device(std::move(members));
    result.chosen = result.owned.get();
  } else {
    const DeviceRegistry& registry = device_registry();
    result.chosen = default_device(registry);
    if (result.chosen == nullptr) return Error{Code::unavailable_device, "The runtime has no device."};
    result.fallback = result.chosen->members().empty() ? registry.cpu() : cpu_of(result.chosen->members());
    if (result.fallback == result.chosen) result.fallback = nullptr;
  }
  NNRT_ASSIGN(const bool has_float16, result.chosen->has(Feature::float16));
  result.options.float16 = relaxed && has_float16;
  return result;
}

}  // namespace nnrt::nnapi
