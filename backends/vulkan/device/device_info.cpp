#include "backends/vulkan/device/device_info.h"

#include "backends/vulkan/device/device_features.h"
#include "core/base/text.h"

#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

bool has(const Snapshot& snapshot, std::string_view extension) {
  return std::find(snapshot.extensions.begin(), snapshot.extensions.end(), extension) !=
         snapshot.extensions.end();
}

std::string name_of(Kind kind) {
  constexpr std::string_view kNames[] = {"other", "integrated", "discrete", "virtual", "software"};
  return std::string(kNames[static_cast<size_t>(kind)]);
}

}  // namespace

std::vector<DeviceProperty> device_info_of(const Snapshot& s, const DevicePlan& plan) {
  const auto largest = std::max_element(s.heap_bytes.begin(), s.heap_bytes.end());
  const bool dot = s.api_version >= VK_API_VERSION_1_3 || has(s, "VK_KHR_shader_integer_dot_product");
  std::vector<DeviceProperty> properties{
      {"kind", name_of(s.kind)},
      {"driver", cat(s.driver_name, s.driver_info.empty() ? "" : " ", s.driver_info)},
      {"vulkan", cat(VK_API_VERSION_MAJOR(s.api_version), '.', VK_API_VERSION_MINOR(s.api_version), '.',
                     VK_API_VERSION_PATCH(s.api_version))},
      {"memory_bytes", largest == s.heap_bytes.end() ? uint64_t{0} : *largest},
      {"largest_tensor_bytes", plan.max_storage_range},
      {"shared_memory_bytes", uint64_t{plan.max_shared_bytes}},
      {"compute_units", uint64_t{plan.cores}},
      {"float16", s.shader_float16 && s.storage_16bit},
      {"khr_integer_dot_product", dot},
      {"imports_host_memory", plan.host.imports},
      {"binds_host_memory", plan.host.imports && plan.host.binds}};
  for (const DeviceFeature& one : device_features()) {
    if (!one.is_property) continue;
    const Refusal refusal = refusal_of(one, s);
    const std::string reason = cat("not used: ", refusal.value_or("NNRT_VULKAN_KERNELS forbids it."));
    properties.push_back({std::string(one.name), one.is_used(plan) ? "used" : reason});
  }
  return properties;
}

}  // namespace nnrt::vulkan
