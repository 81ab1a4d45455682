#pragma once

#include "backends/vulkan/device/device_plan.h"

#include <vulkan/vulkan.h>

namespace nnrt::vulkan {

// A GPU with the required features and nothing more.
inline Snapshot plain_snapshot(Kind kind) {
  Snapshot s;
  s.device_name = std::string("Test GPU");
  s.driver_name = std::string("Test driver");
  s.api_version = VK_API_VERSION_1_2;
  s.kind = kind;
  s.queue_families = {{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 1, 64}};
  s.memory_types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0}};
  s.heap_bytes = {uint64_t{8} << 30};
  s.max_group_invocations = 256;
  s.max_group_size = {256, 256, 64};
  s.max_group_count = {65535, 65535, 65535};
  s.max_shared_bytes = 32768;
  s.max_push_bytes = 128;
  s.storage_alignment = 16;
  s.max_storage_range = 1 << 27;
  s.max_allocation = 1 << 30;
  s.timeline_semaphore = true;
  return s;
}

}  // namespace nnrt::vulkan
