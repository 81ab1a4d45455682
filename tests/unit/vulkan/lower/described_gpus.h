// Devices as their drivers describe them, for tests of what is planned on them.
#pragma once

#include "tests/unit/vulkan/device/plain_snapshot.h"

namespace nnrt::test {

inline vulkan::Snapshot described_gpu(vulkan::Kind kind, uint32_t vendor, const char* name,
                                      uint32_t invocations) {
  vulkan::Snapshot s = vulkan::plain_snapshot(kind);
  s.device_name = name;
  s.driver_name = "driver";
  s.vendor_id = vendor;
  s.api_version = VK_API_VERSION_1_3;
  s.memory_types = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, 0}};
  s.max_group_invocations = invocations;
  s.max_group_size = {invocations, invocations, 64};
  s.storage_alignment = 64;
  s.max_storage_range = uint64_t{1} << 30;
  s.max_texels = 65536;
  s.max_allocation = uint64_t{1} << 31;
  s.quad_operations = s.shuffles = s.subgroup_arithmetic = true;
  return s;
}

inline void set_subgroups(vulkan::Snapshot& s, uint32_t min, uint32_t size, uint32_t max) {
  s.min_subgroup_size = min;
  s.subgroup_size = size;
  s.max_subgroup_size = max;
}

// Of Mesa 22.3, with 256-bit vectors.
inline vulkan::Snapshot lavapipe() {
  vulkan::Snapshot s = described_gpu(vulkan::Kind::cpu, 0x10005, "llvmpipe", 1024);
  s.driver_id = VK_DRIVER_ID_MESA_LLVMPIPE;
  s.storage_alignment = 16;
  s.max_storage_range = s.max_texels = uint64_t{1} << 27;
  s.max_loop_iterations = 65535;
  s.storage_8bit = s.storage_16bit = s.shader_float16 = s.shader_int8 = s.int8_dot = true;
  set_subgroups(s, 8, 8, 8);
  return s;
}
inline vulkan::Snapshot swiftshader() {
  vulkan::Snapshot s = described_gpu(vulkan::Kind::cpu, 0x1ae0, "SwiftShader Device (Subzero)", 256);
  s.driver_id = VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
  s.storage_alignment = s.texel_alignment = 256;
  s.int8_dot = true;
  set_subgroups(s, 4, 4, 4);
  return s;
}

// A GPU with small types and integer dot products.
inline vulkan::Snapshot real_gpu(vulkan::Kind kind, uint32_t vendor, const char* name,
                                 uint32_t invocations = 1024) {
  vulkan::Snapshot s = described_gpu(kind, vendor, name, invocations);
  s.storage_8bit = s.storage_16bit = s.shader_float16 = s.shader_int8 = true;
  s.int8_dot = s.fast_int8_dot = true;
  return s;
}

inline vulkan::Snapshot h100() {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::discrete, vulkan::kNvidia, "NVIDIA H100 80GB HBM3");
  s.driver_id = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  s.max_shared_bytes = 49152;
  s.cores = 132;
  s.vulkan_memory_model = s.device_scope = s.cooperative_matrix = true;
  s.matrix_shapes = {{16, 16, 16}};
  s.int8_matrix_shapes = {{16, 16, 32}};
  set_subgroups(s, 32, 32, 32);
  return s;
}
inline vulkan::Snapshot rdna3() {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::discrete, vulkan::kAmd, "AMD Radeon RX 7900 XTX (RADV NAVI31)");
  s.max_shared_bytes = 65536;
  s.cores = 96;
  s.vulkan_memory_model = s.device_scope = s.khr_cooperative_matrix = s.sets_subgroup_size = true;
  s.khr_matrix_shapes = {{16, 16, 16}};
  s.khr_int8_matrix_shapes = {{16, 16, 16}};
  set_subgroups(s, 32, 64, 64);
  return s;
}

inline vulkan::Snapshot mali(const char* name, uint32_t invocations, uint32_t cores) {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::integrated, vulkan::kArm, name, invocations);
  s.cores = cores;
  set_subgroups(s, 16, 16, 16);
  return s;
}
inline vulkan::Snapshot mali_g610() { return mali("Mali-G610", 1024, 4); }

inline vulkan::Snapshot adreno(const char* name) {
  vulkan::Snapshot s = real_gpu(vulkan::Kind::integrated, vulkan::kQualcomm, name);
  set_subgroups(s, 64, 128, 128);
  return s;
}
inline vulkan::Snapshot adreno_740() { return adreno("Turnip Adreno (TM) 740"); }

}  // namespace nnrt::test
