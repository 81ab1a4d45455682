#include "backends/vulkan/device/device_features.h"

#include "backends/vulkan/device/device_plan.h"
#include "core/base/text.h"

#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

Refusal cannot_store_fp16(const Snapshot& s) {
  if (s.storage_16bit) return std::nullopt;
  return "It has no 16-bit storage (storageBuffer16BitAccess).";
}

Refusal should_not_store_fp16(const Snapshot& s) {
  if (s.kind != Kind::cpu) return std::nullopt;
  return "Software drivers convert fp16 values one by one.";
}

// The shape of shaders/include/gemm/cooperative_matrix_tile.glsl.
constexpr CooperativeMatrixShape kMatrixShape{16, 16, 16};
constexpr uint32_t kMatrixGroup = 128, kMatrixSubgroup = 32, kMatrixSharedBytes = 40960,
                   kEmulatedSharedBytes = 32768;

Refusal cannot_int8_dot(const Snapshot& s) {
  if (s.int8_dot) return std::nullopt;
  return "It has no VK_KHR_shader_integer_dot_product.";
}

Refusal should_not_int8_dot(const Snapshot& s) {
  if (s.fast_int8_dot) return std::nullopt;
  return "Its dot products of packed bytes are not accelerated.";
}

Refusal cannot_cooperative_matrix(const Snapshot& s) {
  if (!s.cooperative_matrix) return "It has no VK_NV_cooperative_matrix.";
  if (!s.shader_float16) return "It has no float16 in shaders.";
  if (!s.vulkan_memory_model) return "It has no Vulkan memory model.";
  if (s.subgroup_size != kMatrixSubgroup) {
    return cat("Its subgroups (", s.subgroup_size, ") are not of ", kMatrixSubgroup, " invocations.");
  }
  if (s.max_shared_bytes < kMatrixSharedBytes) {
    return cat("Its shared memory (", s.max_shared_bytes, ") is less than ", kMatrixSharedBytes, " bytes.");
  }
  if (std::ranges::find(s.matrix_shapes, kMatrixShape) == s.matrix_shapes.end()) {
    return "Its matrices of float16 with sums of float32 are not of 16 by 16 by 16.";
  }
  return std::nullopt;
}

Refusal never(const Snapshot&) { return std::nullopt; }

Refusal only_forced(const Snapshot&) { return "It is for tests."; }

Refusal cannot_emulate(const Snapshot& s) {
  if (s.max_group_invocations >= kMatrixGroup && s.max_shared_bytes >= kEmulatedSharedBytes)
    return std::nullopt;
  return "Its workgroups or its shared memory are too small.";
}

constexpr DeviceFeature kDeviceFeatures[] = {
    {"fp16_storage", true, cannot_store_fp16, should_not_store_fp16,
     [](const Snapshot&, DevicePlan& plan) { plan.fp16_storage = true; },
     [](const DevicePlan& plan) { return plan.fp16_storage; }},
    {"int8_dot", true, cannot_int8_dot, should_not_int8_dot,
     [](const Snapshot&, DevicePlan& plan) {
       plan.int8_dot = true;
       plan.extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) { return plan.int8_dot; }},
    {"cooperative_matrix", true, cannot_cooperative_matrix, never,
     [](const Snapshot&, DevicePlan& plan) {
       plan.cooperative_matrix = kMatrixShape;
       plan.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) {
       return plan.cooperative_matrix.rows > 0 && !plan.emulates_cooperative_matrix;
     }},
    {"cooperative_matrix_emulated", false, cannot_emulate, only_forced,
     [](const Snapshot&, DevicePlan& plan) {
       if (plan.cooperative_matrix.rows > 0) return;
       plan.cooperative_matrix = kMatrixShape;
       plan.emulates_cooperative_matrix = true;
     },
     [](const DevicePlan& plan) { return plan.emulates_cooperative_matrix; }},
};

}  // namespace

std::span<const DeviceFeature> device_features() { return kDeviceFeatures; }

void use_device_features(const Snapshot& snapshot, DevicePlan& plan) {
  for (const DeviceFeature& one : kDeviceFeatures) {
    if (plan.kernels.forbids(one.name) || one.cannot(snapshot)) continue;
    if (plan.kernels.forces(one.name) || !one.should_not(snapshot)) one.use(snapshot, plan);
  }
}

Refusal refusal_of(const DeviceFeature& feature, const Snapshot& snapshot) {
  if (Refusal refusal = feature.cannot(snapshot)) return refusal;
  return feature.should_not(snapshot);
}

}  // namespace nnrt::vulkan
