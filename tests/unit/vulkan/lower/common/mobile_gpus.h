// Mobile GPUs as their drivers describe them, for tests of what is planned on them.
#pragma once

#include "backends/vulkan/device/device_snapshot.h"

#include <vulkan/vulkan.h>

#include <string>

namespace nnrt::test {

// What these GPUs have in common.
inline vulkan::Snapshot mobile_gpu(uint32_t vendor, const char* name, uint32_t invocations) {
  vulkan::Snapshot s;
  s.device_name = name;
  s.driver_name = "driver";
  s.vendor_id = vendor;
  s.api_version = VK_API_VERSION_1_3;
  s.kind = vulkan::Kind::integrated;
  s.queue_families = {{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 1, 64}};
  s.memory_types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0}};
  s.heap_bytes = {uint64_t{8} << 30};
  s.max_group_invocations = invocations;
  s.max_group_size = {invocations, invocations, 64};
  s.max_group_count = {65535, 65535, 65535};
  s.max_shared_bytes = 32768;
  s.max_push_bytes = 128;
  s.storage_alignment = 64;
  s.max_storage_range = uint64_t{1} << 27;
  s.max_texels = 65536;
  s.max_allocation = uint64_t{1} << 30;
  s.timeline_semaphore = true;
  s.quad_operations = s.shuffles = s.subgroup_arithmetic = true;
  s.storage_8bit = s.storage_16bit = s.shader_float16 = s.shader_int8 = true;
  s.int8_dot = s.fast_int8_dot = true;
  return s;
}

inline vulkan::Snapshot mali(const char* name, uint32_t invocations, uint32_t cores) {
  vulkan::Snapshot s = mobile_gpu(vulkan::kArm, name, invocations);
  s.subgroup_size = s.min_subgroup_size = s.max_subgroup_size = 16;
  s.cores = cores;
  return s;
}
inline vulkan::Snapshot mali_g78() { return mali("Mali-G78", 512, 14); }
inline vulkan::Snapshot mali_g610() { return mali("Mali-G610", 1024, 4); }

inline vulkan::Snapshot adreno(const char* name) {
  vulkan::Snapshot s = mobile_gpu(vulkan::kQualcomm, name, 1024);
  s.subgroup_size = s.max_subgroup_size = 128;
  s.min_subgroup_size = 64;
  return s;
}
inline vulkan::Snapshot adreno_650() { return adreno("Adreno (TM) 650"); }
inline vulkan::Snapshot adreno_740() { return adreno("Turnip Adreno (TM) 740"); }

}  // namespace nnrt::test
