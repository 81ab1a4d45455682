#include "backends/vulkan/device/device_features.h"

#include "backends/vulkan/device/device_plan.h"
#include "backends/vulkan/device/khr_cooperative_matrix.h"
#include "core/base/text.h"

#include <vulkan/vulkan.h>

#include <algorithm>
#include <bit>

namespace nnrt::vulkan {
namespace {

Refusal cannot_store_fp16(const Snapshot& s) {
  if (s.storage_16bit) return std::nullopt;
  return "It has no 16-bit storage (storageBuffer16BitAccess).";
}

Refusal should_not_store_fp16(const Snapshot& s) {
  if (s.kind != Kind::cpu) return std::nullopt;
  return "Software drivers convert fp16 slowly.";
}

Refusal cannot_compute_fp16(const Snapshot& s) {
  if (Refusal refusal = cannot_store_fp16(s)) return refusal;
  if (!s.shader_float16) return "It has no float16 in shaders.";
  return std::nullopt;
}

Refusal should_not_compute_fp16(const Snapshot& s) {
  if (s.kind != Kind::cpu) return std::nullopt;
  return "Software drivers compute in float faster.";
}

// The defaults of shaders/include/gemm/cooperative_matrix_tile.glsl.
constexpr CooperativeMatrixShape kMatrixShape{16, 16, 16}, kInt8MatrixShape{16, 16, 32};
constexpr uint32_t kFp16Slice = 64, kInt8Slice = 128;
constexpr uint32_t kMatrixGroup = 128, kMatrixSubgroup = 32, kEmulatedSharedBytes = 32768;
constexpr uint32_t kMatrixSubgroups = 4;  // per workgroup

Refusal cannot_int8_dot(const Snapshot& s) {
  if (s.int8_dot) return std::nullopt;
  return "It has no VK_KHR_shader_integer_dot_product.";
}

Refusal should_not_int8_dot(const Snapshot& s) {
  if (s.fast_int8_dot) return std::nullopt;
  return "Its packed dot products are not accelerated.";
}

Refusal cannot_multiply_matrices(const Snapshot& s) {
  if (!s.shader_float16) return "It has no float16 in shaders.";
  if (!s.vulkan_memory_model || !s.device_scope) return "It has no Vulkan memory model with device scope.";
  return std::nullopt;
}

Refusal cannot_cooperative_matrix(const Snapshot& s) {
  if (!s.cooperative_matrix) return "It has no VK_NV_cooperative_matrix.";
  if (Refusal refusal = cannot_multiply_matrices(s)) return refusal;
  if (s.subgroup_size != kMatrixSubgroup) {
    return cat("Its subgroups (", s.subgroup_size, ") are not of ", kMatrixSubgroup, " invocations.");
  }
  if (std::ranges::find(s.matrix_shapes, kMatrixShape) == s.matrix_shapes.end()) {
    return "It has no 16x16x16 matrices of float16 with float32 sums.";
  }
  return std::nullopt;
}

// Tiles and K slices must be multiples of the matrix. Matrices of eight K steps start at 16-byte vectors in
// fp16, and at halves of them in INT8.
bool is_of_tiles(const CooperativeMatrixShape& shape, uint32_t slice) {
  constexpr uint32_t kSteps = 8;
  const auto is_side = [](uint32_t side) { return side == 8 || side == 16; };
  const bool divides_slice = shape.inner != 0 && slice % shape.inner == 0;
  return is_side(shape.rows) && is_side(shape.columns) && divides_slice && shape.inner % kSteps == 0;
}

// The largest shape that the kernels support; rows = 0 if there is none.
CooperativeMatrixShape largest(const std::vector<CooperativeMatrixShape>& shapes, uint32_t slice) {
  CooperativeMatrixShape best;
  for (const CooperativeMatrixShape& one : shapes) {
    const auto work = [](const CooperativeMatrixShape& shape) {
      return shape.rows * shape.columns * shape.inner;
    };
    if (is_of_tiles(one, slice) && work(one) > work(best)) best = one;
  }
  return best;
}
CooperativeMatrixShape khr_shape(const Snapshot& s) { return largest(s.khr_matrix_shapes, kFp16Slice); }
CooperativeMatrixShape int8_shape(const Snapshot& s, bool by_khr) {
  return largest(by_khr ? s.khr_int8_matrix_shapes : s.int8_matrix_shapes, kInt8Slice);
}

// On Intel the tiles spill thousands of registers: a subgroup has 4 KiB of them, 8 KiB since Xe2, elsewhere
// 32 KiB or more. Before DG2 the driver also emulates matrices.
Refusal cannot_khr_cooperative_matrix(const Snapshot& s) {
  if (!s.khr_cooperative_matrix) return "It has no VK_KHR_cooperative_matrix.";
  if (s.vendor_id == kIntel) return "Its subgroups have too few registers for tiles of matrices.";
  if (Refusal refusal = cannot_multiply_matrices(s)) return refusal;
  if (!std::has_single_bit(s.subgroup_size) || s.subgroup_size < 8 || s.subgroup_size > 64)
    return cat("Its subgroups (", s.subgroup_size, ") are not of 8, 16, 32 or 64 invocations.");
  if (s.min_subgroup_size != s.max_subgroup_size && !s.sets_subgroup_size) return "Its subgroup size varies.";
  if (s.max_group_invocations < kMatrixSubgroups * s.subgroup_size) return "Its workgroups are too small.";
  if (khr_shape(s).rows == 0)
    return "None of its float16 matrices with float32 sums has a shape that divides tiles.";
  return std::nullopt;
}

// If both exist, they use the same instructions, and the NV extension is the one that was measured.
Refusal should_not_khr_cooperative_matrix(const Snapshot& s) {
  if (!cannot_cooperative_matrix(s)) return "VK_NV_cooperative_matrix is used instead.";
  return std::nullopt;
}

// Large enough for a subgroup's part of a 64x64 tile. Four of them fit the shared memory through which tiles
// are stored.
constexpr uint32_t kFlexibleSide = 32;

Refusal cannot_flexible_matrix(const Snapshot& s) {
  if (Refusal refusal = cannot_khr_cooperative_matrix(s)) return refusal;
  const CooperativeMatrixShape shape = khr_shape(s);
  const auto divides = [&](const CooperativeMatrixShape& step) {
    return shape.rows % step.rows == 0 && shape.columns % step.columns == 0 && shape.inner % step.inner == 0;
  };
  if (s.max_matrix_side >= kFlexibleSide && std::ranges::any_of(s.flexible_matrix_steps, divides))
    return std::nullopt;
  return "It has no float16 matrices of flexible sides (VK_NV_cooperative_matrix2).";
}

Refusal should_not_flexible_matrix(const Snapshot&) { return "It was never measured."; }

// INT8 matrices use the same extension as fp16 ones, which every device with INT8 matrices has.
Refusal cannot_int8_matrix(const Snapshot& s) {
  const bool by_khr = cannot_cooperative_matrix(s).has_value();
  if (by_khr && cannot_khr_cooperative_matrix(s)) return "Its float16 cooperative matrices are not used.";
  if (!s.shader_int8) return "It has no int8 in shaders.";
  if (int8_shape(s, by_khr).rows == 0)
    return "None of its INT8 matrices with INT32 sums has a shape that divides tiles.";
  return std::nullopt;
}

Refusal never(const Snapshot&) { return std::nullopt; }

Refusal only_forced(const Snapshot&) { return "It is for tests."; }

Refusal should_not_measure(const Snapshot& s) {
  if (s.kind != Kind::cpu) return std::nullopt;
  return "Software drivers use other tiles.";
}

Refusal cannot_emulate(const Snapshot& s) {
  if (s.max_group_invocations >= kMatrixGroup && s.max_shared_bytes >= kEmulatedSharedBytes)
    return std::nullopt;
  return "Its workgroups or its shared memory are too small.";
}

constexpr DeviceFeature kDeviceFeatures[] = {
    {"fp16_storage", true, cannot_store_fp16, should_not_store_fp16,
     [](const Snapshot&, DevicePlan& plan) { plan.fp16_storage = true; },
     [](const DevicePlan& plan) { return plan.fp16_storage; }},
    {"fp16_arithmetic", true, cannot_compute_fp16, should_not_compute_fp16,
     [](const Snapshot&, DevicePlan& plan) { plan.fp16_arithmetic = plan.fp16_storage; },
     [](const DevicePlan& plan) { return plan.fp16_arithmetic; }},
    {"int8_dot", true, cannot_int8_dot, should_not_int8_dot,
     [](const Snapshot&, DevicePlan& plan) {
       plan.int8_dot = true;
       plan.extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) { return plan.int8_dot; }},
    {"khr_cooperative_matrix", true, cannot_khr_cooperative_matrix, should_not_khr_cooperative_matrix,
     [](const Snapshot& s, DevicePlan& plan) {
       plan.matrices.fp16 = khr_shape(s);
       plan.matrices.khr = true;
       plan.matrices.subgroup = s.subgroup_size;
       plan.extensions.push_back(khr::kCooperativeMatrix);
       plan.matrices.sets_subgroup_size = s.sets_subgroup_size;
       if (s.sets_subgroup_size) plan.extensions.push_back(VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) { return plan.matrices.khr; }},
    {"flexible_matrix", true, cannot_flexible_matrix, should_not_flexible_matrix,
     [](const Snapshot&, DevicePlan& plan) {
       if (!plan.matrices.khr) return;
       plan.matrices.flexible_side = kFlexibleSide;
       plan.extensions.push_back(nv2::kCooperativeMatrix2);
     },
     [](const DevicePlan& plan) { return plan.matrices.flexible_side > 0; }},
    {"cooperative_matrix", true, cannot_cooperative_matrix, never,
     [](const Snapshot&, DevicePlan& plan) {
       if (plan.matrices.khr) return;
       plan.matrices.fp16 = kMatrixShape;
       plan.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME);
     },
     [](const DevicePlan& plan) {
       return plan.matrices.fp16.rows > 0 && !plan.matrices.emulates_fp16 && !plan.matrices.khr;
     }},
    {"cooperative_matrix_emulated", false, cannot_emulate, only_forced,
     [](const Snapshot&, DevicePlan& plan) {
       if (plan.matrices.fp16.rows > 0) return;
       plan.matrices.fp16 = kMatrixShape;
       plan.matrices.emulates_fp16 = true;
     },
     [](const DevicePlan& plan) { return plan.matrices.emulates_fp16; }},
    {"int8_matrix", true, cannot_int8_matrix, never,
     [](const Snapshot& s, DevicePlan& plan) {
       const bool is_enabled = plan.matrices.fp16.rows > 0 && !plan.matrices.emulates_fp16;
       if (is_enabled) plan.matrices.int8 = int8_shape(s, plan.matrices.khr);
     },
     [](const DevicePlan& plan) { return plan.matrices.int8.rows > 0 && !plan.matrices.emulates_int8; }},
    {"int8_matrix_emulated", false, cannot_emulate, only_forced,
     [](const Snapshot&, DevicePlan& plan) {
       const bool has_room = plan.matrices.subgroup >= 16;  // for the sums, which invocations share
       if (plan.matrices.int8.rows > 0 || !has_room) return;
       plan.matrices.int8 = kInt8MatrixShape;
       plan.matrices.emulates_int8 = true;
     },
     [](const DevicePlan& plan) { return plan.matrices.emulates_int8; }},
    {"tile_tuning", false, never, should_not_measure,
     [](const Snapshot&, DevicePlan& plan) {
       if (plan.tuning != Tuning::off) plan.tuning = Tuning::on;
     },
     [](const DevicePlan& plan) { return plan.tuning == Tuning::on; }},
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
