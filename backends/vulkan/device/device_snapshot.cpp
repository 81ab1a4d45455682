#include "backends/vulkan/device/device_snapshot.h"

#include "backends/vulkan/device/cores.h"
#include "backends/vulkan/device/khr_cooperative_matrix.h"
#include "backends/vulkan/device/vk_instance.h"

#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

bool offers(const Snapshot& snapshot, std::string_view extension) {
  return std::find(snapshot.extensions.begin(), snapshot.extensions.end(), extension) !=
         snapshot.extensions.end();
}

void take_extensions(VkPhysicalDevice device, Snapshot& snapshot) {
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> extensions(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, extensions.data());
  extensions.resize(count);
  for (const VkExtensionProperties& extension : extensions) {
    snapshot.extensions.emplace_back(extension.extensionName);
  }
}

// Returns whether device timestamps can be read together with the clock that host times use.
bool offers_calibration(VkPhysicalDevice device, const Snapshot& snapshot) {
  const auto vulkan = instance();
  if (!vulkan.ok() || !offers(snapshot, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME)) return false;
  const auto get_domains = reinterpret_cast<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT>(
      vkGetInstanceProcAddr(vulkan.value(), "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"));
  if (get_domains == nullptr) return false;
  uint32_t count = 0;
  get_domains(device, &count, nullptr);
  std::vector<VkTimeDomainEXT> domains(count);
  get_domains(device, &count, domains.data());
  const auto has = [&](VkTimeDomainEXT domain) {
    return std::find(domains.begin(), domains.end(), domain) != domains.end();
  };
  return has(VK_TIME_DOMAIN_DEVICE_EXT) && has(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

// Vulkan has no property for this. gallivm counts the loop iterations of all invocations of a SIMD vector.
uint64_t loop_limit_of(uint32_t driver_id) {
  constexpr uint64_t kGallivmLimit = 65535;
  return driver_id == VK_DRIVER_ID_MESA_LLVMPIPE ? kGallivmLimit : 0;
}

void take_properties(VkPhysicalDevice device, Snapshot& snapshot) {
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT host{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT};
  VkPhysicalDeviceMaintenance3Properties allocation{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES,
                                               &allocation};
  VkPhysicalDeviceShaderIntegerDotProductPropertiesKHR int8_dot{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES_KHR, &subgroups};
  void* const rest = offers(snapshot, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)
                         ? static_cast<void*>(&int8_dot)
                         : &subgroups;
  VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES, rest};
  VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES, &id};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &driver};
  const bool import = offers(snapshot, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  if (import) allocation.pNext = &host;
  vkGetPhysicalDeviceProperties2(device, &properties);

  snapshot.driver_id = uint32_t(driver.driverID);
  snapshot.max_loop_iterations = loop_limit_of(snapshot.driver_id);
  snapshot.driver_name = driver.driverName;
  snapshot.driver_info = driver.driverInfo;
  std::copy_n(id.deviceUUID, snapshot.uuid.size(), snapshot.uuid.begin());
  snapshot.max_allocation = allocation.maxMemoryAllocationSize;
  snapshot.import_alignment = import ? host.minImportedHostPointerAlignment : 0;
  snapshot.fast_int8_dot = int8_dot.integerDotProduct4x8BitPackedSignedAccelerated;
  const VkPhysicalDeviceLimits& limits = properties.properties.limits;
  snapshot.max_group_invocations = limits.maxComputeWorkGroupInvocations;
  std::copy_n(limits.maxComputeWorkGroupSize, 3, snapshot.max_group_size.begin());
  std::copy_n(limits.maxComputeWorkGroupCount, 3, snapshot.max_group_count.begin());
  snapshot.max_shared_bytes = limits.maxComputeSharedMemorySize;
  snapshot.max_push_bytes = limits.maxPushConstantsSize;
  snapshot.storage_alignment = limits.minStorageBufferOffsetAlignment;
  snapshot.max_storage_range = limits.maxStorageBufferRange;
  snapshot.texel_alignment = limits.minTexelBufferOffsetAlignment;
  snapshot.max_texels = limits.maxTexelBufferElements;
  const bool in_kernels = (subgroups.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  const VkSubgroupFeatureFlags operations = in_kernels ? subgroups.supportedOperations : 0;
  snapshot.quad_operations = (operations & VK_SUBGROUP_FEATURE_QUAD_BIT) != 0;
  snapshot.shuffles = (operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
  snapshot.subgroup_arithmetic = (operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0;
  snapshot.subgroup_size = subgroups.subgroupSize;
  snapshot.timestamp_period = limits.timestampPeriod;
  snapshot.calibrated_timestamps = offers_calibration(device, snapshot);
}

// Keeps subgroup-scope shapes: float16 with float32 sums, and signed 8-bit with INT32 sums.
void query_matrix_shapes(VkPhysicalDevice device, Snapshot& snapshot) {
  const auto vulkan = instance();
  if (!vulkan.ok()) return;
  const auto get = reinterpret_cast<PFN_vkGetPhysicalDeviceCooperativeMatrixPropertiesNV>(
      vkGetInstanceProcAddr(vulkan.value(), "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV"));
  uint32_t count = 0;
  if (get == nullptr || get(device, &count, nullptr) != VK_SUCCESS) return;
  std::vector<VkCooperativeMatrixPropertiesNV> all(count,
                                                   {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_NV});
  if (get(device, &count, all.data()) != VK_SUCCESS) return;
  all.resize(count);
  for (const VkCooperativeMatrixPropertiesNV& one : all) {
    const auto is_of = [&](VkComponentTypeNV operands, VkComponentTypeNV sums) {
      return one.AType == operands && one.BType == operands && one.CType == sums && one.DType == sums &&
             one.scope == VK_SCOPE_SUBGROUP_NV;
    };
    const CooperativeMatrixShape shape{one.MSize, one.NSize, one.KSize};
    if (is_of(VK_COMPONENT_TYPE_FLOAT16_NV, VK_COMPONENT_TYPE_FLOAT32_NV))
      snapshot.matrix_shapes.push_back(shape);
    if (is_of(VK_COMPONENT_TYPE_SINT8_NV, VK_COMPONENT_TYPE_SINT32_NV))
      snapshot.int8_matrix_shapes.push_back(shape);
  }
}

void take_subgroup_sizes(VkPhysicalDevice device, Snapshot& snapshot) {
  VkPhysicalDeviceSubgroupSizeControlFeaturesEXT control{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT};
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &control};
  vkGetPhysicalDeviceFeatures2(device, &features);
  VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
  vkGetPhysicalDeviceProperties2(device, &properties);
  snapshot.sets_subgroup_size = control.subgroupSizeControl && control.computeFullSubgroups &&
                                (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
  snapshot.min_subgroup_size = sizes.minSubgroupSize;
  snapshot.max_subgroup_size = sizes.maxSubgroupSize;
}

void take_features(VkPhysicalDevice device, Snapshot& snapshot) {
  VkPhysicalDevice16BitStorageFeatures storage16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
  VkPhysicalDeviceVulkan12Features vulkan12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            &storage16};
  VkPhysicalDeviceShaderIntegerDotProductFeaturesKHR int8_dot{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES_KHR};
  VkPhysicalDeviceCooperativeMatrixFeaturesNV cooperative_matrix{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV};
  // Only query structures that the device knows.
  void** next = &storage16.pNext;
  if (offers(snapshot, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) {
    *next = &int8_dot;
    next = &int8_dot.pNext;
  }
  if (offers(snapshot, VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME)) *next = &cooperative_matrix;
  VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &vulkan12};
  vkGetPhysicalDeviceFeatures2(device, &features);
  snapshot.timeline_semaphore = vulkan12.timelineSemaphore;
  snapshot.storage_8bit = vulkan12.storageBuffer8BitAccess;
  snapshot.storage_16bit = storage16.storageBuffer16BitAccess;
  snapshot.shader_float16 = vulkan12.shaderFloat16;
  snapshot.shader_int8 = vulkan12.shaderInt8;
  snapshot.vulkan_memory_model = vulkan12.vulkanMemoryModel;
  snapshot.device_scope = vulkan12.vulkanMemoryModelDeviceScope;
  snapshot.int8_dot = int8_dot.shaderIntegerDotProduct;
  snapshot.cooperative_matrix = cooperative_matrix.cooperativeMatrix;
  if (snapshot.cooperative_matrix) query_matrix_shapes(device, snapshot);
  read_khr_matrices(device, snapshot);
}

void take_queues_and_memory(VkPhysicalDevice device, Snapshot& snapshot) {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(device, &count, families.data());
  for (const VkQueueFamilyProperties& family : families) {
    snapshot.queue_families.push_back({family.queueFlags, family.queueCount, family.timestampValidBits});
  }
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    snapshot.memory_types.push_back({memory.memoryTypes[i].propertyFlags, memory.memoryTypes[i].heapIndex});
  }
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    snapshot.heap_bytes.push_back(memory.memoryHeaps[i].size);
  }
}

}  // namespace

Snapshot take_snapshot(VkPhysicalDevice_T* device) {
  VkPhysicalDeviceProperties properties;
  vkGetPhysicalDeviceProperties(device, &properties);
  Snapshot snapshot;
  snapshot.device_name = properties.deviceName;
  snapshot.vendor_id = properties.vendorID;
  snapshot.device_id = properties.deviceID;
  snapshot.api_version = properties.apiVersion;
  snapshot.driver_version = properties.driverVersion;
  snapshot.kind =
      properties.deviceType <= VK_PHYSICAL_DEVICE_TYPE_CPU ? Kind(properties.deviceType) : Kind::other;
  std::copy_n(properties.pipelineCacheUUID, snapshot.pipeline_cache_uuid.size(),
              snapshot.pipeline_cache_uuid.begin());
  if (snapshot.api_version < VK_API_VERSION_1_2) return snapshot;

  take_extensions(device, snapshot);
  take_properties(device, snapshot);
  snapshot.cores = reported_cores(device, snapshot);
  if (offers(snapshot, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) take_subgroup_sizes(device, snapshot);
  take_features(device, snapshot);
  take_queues_and_memory(device, snapshot);
  return snapshot;
}

}  // namespace nnrt::vulkan
