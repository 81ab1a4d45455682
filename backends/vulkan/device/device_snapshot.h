// The properties of a physical device, queried once and stored as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

struct VkPhysicalDevice_T;

namespace nnrt::vulkan {

enum class Kind : uint8_t { other, integrated, discrete, virtual_gpu, cpu };  // VkPhysicalDeviceType

// PCI vendors.
inline constexpr uint32_t kAmd = 0x1002, kApple = 0x106b, kArm = 0x13b5, kBroadcom = 0x14e4, kIntel = 0x8086,
                          kImagination = 0x1010, kNvidia = 0x10de, kQualcomm = 0x5143, kSamsung = 0x144d;

struct QueueFamily {
  uint32_t flags = 0;  // VkQueueFlags
  uint32_t count = 0;
  uint32_t timestamp_bits = 0;
};

struct MemoryType {
  uint32_t flags = 0;  // VkMemoryPropertyFlags
  uint32_t heap = 0;
};

// A cooperative matrix shape: float16 with float32 sums, or signed 8-bit with INT32 sums.
struct CooperativeMatrixShape {
  uint32_t rows = 0, columns = 0, inner = 0;

  bool operator==(const CooperativeMatrixShape&) const = default;
};

struct Snapshot {
  std::string device_name, driver_name, driver_info;
  uint32_t vendor_id = 0, device_id = 0, api_version = 0, driver_version = 0;
  Kind kind = Kind::other;
  uint32_t driver_id = 0;  // VkDriverId
  std::array<uint8_t, 16> uuid{}, pipeline_cache_uuid{};
  std::vector<std::string> extensions;
  std::vector<QueueFamily> queue_families;
  std::vector<MemoryType> memory_types;
  std::vector<uint64_t> heap_bytes;

  // Limits.
  uint32_t max_group_invocations = 0;
  std::array<uint32_t, 3> max_group_size{}, max_group_count{};
  uint32_t max_shared_bytes = 0, max_push_bytes = 0;
  uint64_t storage_alignment = 1;  // minStorageBufferOffsetAlignment
  uint64_t max_storage_range = 0;
  uint64_t texel_alignment = 1;   // minTexelBufferOffsetAlignment
  uint64_t max_texels = 0;        // maxTexelBufferElements
  uint64_t max_allocation = 0;    // maxMemoryAllocationSize
  uint64_t import_alignment = 0;  // minImportedHostPointerAlignment; 0: no external_memory_host
  bool quad_operations = false, shuffles = false, subgroup_arithmetic = false;  // in compute shaders
  float timestamp_period = 0;                                                   // nanoseconds per tick
  bool calibrated_timestamps = false;  // together with the host's CLOCK_MONOTONIC
  uint32_t subgroup_size = 0;
  // Total loop iterations after which the driver silently terminates an invocation; 0: unlimited.
  uint64_t max_loop_iterations = 0;
  uint32_t cores = 0;          // number of cores as reported by the driver; 0: not reported
  bool fast_int8_dot = false;  // for signed 8-bit
  std::vector<CooperativeMatrixShape> matrix_shapes, int8_matrix_shapes;  // from VK_NV_cooperative_matrix
  std::vector<CooperativeMatrixShape> khr_matrix_shapes, khr_int8_matrix_shapes;
  // From VK_NV_cooperative_matrix2: sides of fp16 matrices are multiples of one of the steps.
  std::vector<CooperativeMatrixShape> flexible_matrix_steps;
  uint32_t max_matrix_side = 0;
  // From VK_EXT_subgroup_size_control; 0 without it.
  uint32_t min_subgroup_size = 0, max_subgroup_size = 0;
  bool sets_subgroup_size = false;  // a compute shader can request its subgroup size, with full subgroups

  // Features.
  bool timeline_semaphore = false;
  bool storage_8bit = false, storage_16bit = false, shader_float16 = false, shader_int8 = false;
  bool int8_dot = false;                                   // from VK_KHR_shader_integer_dot_product
  bool vulkan_memory_model = false, device_scope = false;  // with atomics of device scope
  bool cooperative_matrix = false;                         // VK_NV_cooperative_matrix
  bool khr_cooperative_matrix = false;                     // VK_KHR_cooperative_matrix in compute shaders
};

// Of a device older than Vulkan 1.2, only names, versions and kind are queried.
Snapshot take_snapshot(VkPhysicalDevice_T* device);

}  // namespace nnrt::vulkan
