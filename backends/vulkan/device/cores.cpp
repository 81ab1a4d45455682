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

// GPUs whose drivers report nothing, by a part of their names; the first match counts.
struct Named {
  uint32_t vendor_id;
  std::string_view part;
  uint32_t cores;
};
constexpr uint32_t kApple = 0x106b;
constexpr Named kNamed[] = {
    {kIntel, "A770", 32},    {kIntel, "A750", 28},   {kIntel, "A580", 24},   {kIntel, "A380", 8},
    {kIntel, "A310", 6},     {kIntel, "B580", 20},   {kIntel, "B570", 18},   {kIntel, "B60", 20},
    {kIntel, "B50", 16},     {kIntel, "(LNL)", 8},   {kIntel, "(MTL)", 8},   {kIntel, "(ARL)", 8},
    {kIntel, "Iris", 6},     {kIntel, "UHD", 3},     {kApple, "Ultra", 64},  {kApple, "M1 Max", 32},
    {kApple, "M1 Pro", 16},  {kApple, "M1", 8},      {kApple, "M2 Max", 38}, {kApple, "M2 Pro", 19},
    {kApple, "M3 Max", 40},  {kApple, "M3 Pro", 18}, {kApple, "M4 Max", 40}, {kApple, "M4 Pro", 20},
    {kApple, "Apple M", 10},
};

// A small device of each vendor, for drivers that report nothing; large devices lose little by too few
// workgroups.
struct Usual {
  uint32_t vendor_id, discrete, integrated;
};
constexpr Usual kUsual[] = {
    {0x10de, 40, 8},   // NVIDIA
    {0x1002, 32, 8},   // AMD
    {kIntel, 24, 6},   // Xe cores, each with several execution units
    {0x13b5, 10, 10},  // Arm
    {0x5143, 6, 6},    // Qualcomm
    {kApple, 16, 8},   // GPU cores
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
  const auto is_named = [&](const Named& one) {
    return one.vendor_id == snapshot.vendor_id && snapshot.device_name.find(one.part) != std::string::npos;
  };
  if (const auto* const named = std::ranges::find_if(kNamed, is_named); named != std::end(kNamed))
    return named->cores;
  const bool is_discrete = snapshot.kind == Kind::discrete || snapshot.kind == Kind::virtual_gpu;
  const auto* const usual = std::ranges::find(kUsual, snapshot.vendor_id, &Usual::vendor_id);
  if (usual == std::end(kUsual)) return is_discrete ? kOtherDiscrete : kOtherIntegrated;
  return is_discrete ? usual->discrete : usual->integrated;
}

}  // namespace nnrt::vulkan
