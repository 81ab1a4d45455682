#include "backends/vulkan/device/cores.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <string_view>

namespace nnrt::vulkan {
namespace {

bool offers(const Snapshot& snapshot, std::string_view extension) {
  return std::ranges::find(snapshot.extensions, extension) != snapshot.extensions.end();
}

// Queries one property structure.
template <typename Properties>
Properties asked(VkPhysicalDevice device, VkStructureType type) {
  Properties properties{};
  properties.sType = type;
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
  vkGetPhysicalDeviceProperties2(device, &all);
  return properties;
}

// A small device of each vendor, for drivers that report nothing; large devices lose little by too few
// workgroups.
struct Usual {
  uint32_t vendor_id, discrete, integrated;
};
constexpr Usual kUsual[] = {
    {0x10de, 40, 8},   // NVIDIA
    {0x1002, 32, 8},   // AMD
    {0x8086, 24, 6},   // Intel: Xe cores, each with several execution units
    {0x13b5, 10, 10},  // Arm
    {0x5143, 6, 6},    // Qualcomm
    {0x106b, 16, 8},   // Apple
    {0x1010, 4, 4},    // Imagination
};
constexpr uint32_t kOtherDiscrete = 24, kOtherIntegrated = 6, kSoftware = 4;

}  // namespace

uint32_t reported_cores(VkPhysicalDevice_T* device, const Snapshot& snapshot) {
  if (offers(snapshot, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) {
    return asked<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV>(
               device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV)
        .shaderSMCount;
  }
  if (offers(snapshot, VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME)) {
    return asked<VkPhysicalDeviceShaderCoreProperties2AMD>(
               device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD)
        .activeComputeUnitCount;
  }
  if (offers(snapshot, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) {
    const auto core = asked<VkPhysicalDeviceShaderCorePropertiesAMD>(
        device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    return core.shaderEngineCount * core.shaderArraysPerEngineCount * core.computeUnitsPerShaderArray;
  }
#ifdef VK_ARM_shader_core_builtins  // not in the oldest supported headers
  if (offers(snapshot, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME)) {
    return asked<VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM>(
               device, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM)
        .shaderCoreCount;
  }
#endif
  return 0;
}

uint32_t cores_of(const Snapshot& snapshot) {
  if (snapshot.cores > 0) return snapshot.cores;
  if (snapshot.kind == Kind::cpu) return kSoftware;
  const bool is_discrete = snapshot.kind == Kind::discrete || snapshot.kind == Kind::virtual_gpu;
  const auto* const usual = std::ranges::find(kUsual, snapshot.vendor_id, &Usual::vendor_id);
  if (usual == std::end(kUsual)) return is_discrete ? kOtherDiscrete : kOtherIntegrated;
  return is_discrete ? usual->discrete : usual->integrated;
}

}  // namespace nnrt::vulkan
