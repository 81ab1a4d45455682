#include "backends/vulkan/hardware.h"

#include "backends/vulkan/device_plan.h"
#include "core/text.h"

#include <vulkan/vulkan.h>

#include <algorithm>

namespace nnrt::vulkan {
namespace {

Refusal cannot_store_halves(const Snapshot& s) {
  if (s.storage_16bit) return std::nullopt;
  return "It has no 16-bit storage (storageBuffer16BitAccess).";
}

Refusal should_not_store_halves(const Snapshot& s) {
  if (s.kind != Kind::cpu) return std::nullopt;
  return "Software drivers convert halves one by one.";
}

// What the kernels of matrices are written for (shaders/include/matrix_tile.glsl).
constexpr MatrixShape kMatrixShape{16, 16, 16};
constexpr uint32_t kMatrixGroup = 256, kMatrixSubgroup = 32, kMatrixSharedBytes = 40960,
                   kEmulatedSharedBytes = 32768;

Refusal cannot_dot(const Snapshot& s) {
  if (s.packed_dots) return std::nullopt;
  return "It has no VK_KHR_shader_integer_dot_product.";
}

Refusal should_not_dot(const Snapshot& s) {
  if (s.fast_packed_dots) return std::nullopt;
  return "Its dot products of packed bytes are not accelerated.";
}

Refusal cannot_multiply_matrices(const Snapshot& s) {
  if (!s.cooperative_matrix) return "It has no VK_NV_cooperative_matrix.";
  if (!s.shader_float16) return "It has no float16 in shaders.";
  if (!s.vulkan_memory_model) return "It has no Vulkan memory model.";
  if (s.subgroup_size != kMatrixSubgroup) {
    return cat("Its subgroups (", s.subgroup_size, ") are not of ", kMatrixSubgroup, " invocations.");
  }
  if (s.max_group_invocations < kMatrixGroup) {
    return cat("Its workgroups (", s.max_group_invocations, ") are smaller than ", kMatrixGroup,
               " invocations.");
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

constexpr Hardware kHardware[] = {
    {"halves", "native_halves", cannot_store_halves, should_not_store_halves,
     [](const Snapshot&, DevicePlan& plan) { plan.native_halves = true; },
     [](const DevicePlan& plan) { return plan.native_halves; }},
    {"dots", "packed_dots", cannot_dot, should_not_dot,
     [](const Snapshot&, DevicePlan& plan) {
       plan.packed_dots = true;
       plan.extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) { return plan.packed_dots; }},
    {"matrices", "matrices", cannot_multiply_matrices, never,
     [](const Snapshot&, DevicePlan& plan) {
       plan.matrices = kMatrixShape;
       plan.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) { return plan.matrices.rows > 0 && !plan.emulates_matrices; }},
    {"matrices_emulated", "", cannot_emulate, only_forced,
     [](const Snapshot&, DevicePlan& plan) {
       if (plan.matrices.rows > 0) return;
       plan.matrices = kMatrixShape;
       plan.emulates_matrices = true;
     },
     [](const DevicePlan& plan) { return plan.emulates_matrices; }},
};

bool lists(std::string_view names, std::string_view name) {
  for (size_t at = 0; at <= names.size();) {
    const size_t comma = std::min(names.find(',', at), names.size());
    if (names.substr(at, comma - at) == name) return true;
    at = comma + 1;
  }
  return false;
}

}  // namespace

std::span<const Hardware> hardware() { return kHardware; }

void use_hardware(const Snapshot& snapshot, std::string_view forced, DevicePlan& plan) {
  for (const Hardware& one : kHardware) {
    const bool wanted = forced.empty() ? !one.should_not(snapshot) : lists(forced, one.name);
    if (wanted && !one.cannot(snapshot)) one.use(snapshot, plan);
  }
}

Refusal refusal_of(const Hardware& hardware, const Snapshot& snapshot) {
  if (Refusal refusal = hardware.cannot(snapshot)) return refusal;
  return hardware.should_not(snapshot);
}

}  // namespace nnrt::vulkan
