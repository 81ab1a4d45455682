#include "backends/vulkan/device/cores.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <charconv>
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

// GPUs whose drivers report nothing, by a part of their names; the first match counts. Names like "Mali-G78"
// stand for chips with various numbers of cores: the usual one.
struct KnownGpu {
  uint32_t vendor_id;
  std::string_view part;
  uint32_t cores;
};
constexpr KnownGpu kKnownGpus[] = {
    {kIntel, "A770", 32},    {kIntel, "A750", 28},   {kIntel, "A580", 24},   {kIntel, "A380", 8},
    {kIntel, "A310", 6},     {kIntel, "B580", 20},   {kIntel, "B570", 18},   {kIntel, "B60", 20},
    {kIntel, "B50", 16},     {kIntel, "(LNL)", 8},   {kIntel, "(MTL)", 8},   {kIntel, "(ARL)", 8},
    {kIntel, "Iris", 6},     {kIntel, "UHD", 3},     {kApple, "Ultra", 64},  {kApple, "M1 Max", 32},
    {kApple, "M1 Pro", 16},  {kApple, "M1", 8},      {kApple, "M2 Max", 38}, {kApple, "M2 Pro", 19},
    {kApple, "M3 Max", 40},  {kApple, "M3 Pro", 18}, {kApple, "M4 Max", 40}, {kApple, "M4 Pro", 20},
    {kApple, "Apple M", 10}, {kArm, "G310", 2},      {kArm, "G31", 2},       {kArm, "G510", 4},
    {kArm, "G51", 4},        {kArm, "G52", 2},       {kArm, "G57", 3},       {kArm, "G610", 4},
    {kArm, "G615", 6},       {kArm, "G620", 6},      {kArm, "G625", 6},      {kArm, "G68", 4},
    {kArm, "G710", 10},      {kArm, "G715", 11},     {kArm, "G71", 8},       {kArm, "G720", 12},
    {kArm, "G725", 9},       {kArm, "G72", 12},      {kArm, "G76", 10},      {kArm, "G77", 9},
    {kArm, "G78", 14},       {kArm, "G925", 12},     {kArm, "Mali-T", 4},    {kQualcomm, "X1-85", 6},
    {kQualcomm, "X1-45", 3}, {kQualcomm, "61", 1},   {kQualcomm, "630", 2},  {kQualcomm, "640", 2},
    {kQualcomm, "642", 2},   {kQualcomm, "643", 2},  {kQualcomm, "644", 3},  {kQualcomm, "650", 3},
    {kQualcomm, "660", 3},   {kQualcomm, "680", 4},  {kQualcomm, "690", 8},  {kQualcomm, "7c+", 2},
    {kQualcomm, "8c", 2},    {kQualcomm, "702", 1},  {kQualcomm, "725", 4},  {kQualcomm, "730", 4},
    {kQualcomm, "740", 6},   {kQualcomm, "750", 6},  {kQualcomm, "830", 6},
};

// Arm's drivers may append the number, as in "Mali-G610 MC4" and "Mali-G72 MP12"; 0 if they don't.
uint32_t cores_in_name(std::string_view name) {
  for (const std::string_view mark : {" MC", " MP"}) {
    const size_t at = name.find(mark);
    if (at == std::string_view::npos) continue;
    uint32_t cores = 0;
    std::from_chars(name.data() + at + mark.size(), name.data() + name.size(), cores);
    return cores;
  }
  return 0;
}

// A small device of each vendor, for drivers that report nothing; large devices lose little by too few
// workgroups.
struct VendorDefault {
  uint32_t vendor_id, discrete, integrated;
};
constexpr VendorDefault kVendorDefaults[] = {
    {kNvidia, 40, 8},     {kAmd, 32, 8},     {kIntel, 24, 6},   // Xe cores, each with several execution units
    {kArm, 6, 6},         {kQualcomm, 4, 4}, {kSamsung, 6, 6},  // workgroup processors
    {kApple, 16, 8},                                            // GPU cores
    {kImagination, 4, 4}, {kBroadcom, 2, 2},                    // slices of 4 QPUs each
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
  if (snapshot.vendor_id == kArm) {
    if (const uint32_t cores = cores_in_name(snapshot.device_name); cores > 0) return cores;
  }
  const auto is_named = [&](const KnownGpu& one) {
    return one.vendor_id == snapshot.vendor_id && snapshot.device_name.find(one.part) != std::string::npos;
  };
  if (const auto* const named = std::ranges::find_if(kKnownGpus, is_named); named != std::end(kKnownGpus))
    return named->cores;
  const bool is_discrete = snapshot.kind == Kind::discrete || snapshot.kind == Kind::virtual_gpu;
  const auto* const usual = std::ranges::find(kVendorDefaults, snapshot.vendor_id, &VendorDefault::vendor_id);
  if (usual == std::end(kVendorDefaults)) return is_discrete ? kOtherDiscrete : kOtherIntegrated;
  return is_discrete ? usual->discrete : usual->integrated;
}

}  // namespace nnrt::vulkan
