// The kinds of tiled GEMM and convolution kernels, and why one may not apply.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <optional>

namespace nnrt::vulkan {

// subgroup and texel_buffer read texel views, by subgroups of 8 and by 4 invocations. The others read storage
// buffers; shared_memory reads each element once per workgroup. small_registers: for GPUs with few registers
// and slow shared memory.
enum class TileKind : uint8_t { subgroup, texel_buffer, shared_memory, small_registers, registers };

// Subgroup size of TileKind::subgroup.
inline constexpr uint32_t kSubgroup8 = 8;

constexpr bool has_views(TileKind kind) { return kind <= TileKind::texel_buffer; }

// Operand sizes in texels.
struct TileOperands {
  // The least that a view must cover for one dispatch.
  uint64_t left = 0, right = 0;
  // The larger operand in full; nullopt if the subgroup tile does not support these operands.
  std::optional<uint64_t> whole = {};
};

WhyNot why_not_subgroup_tile(const TileOperands& operands, const DevicePlan& plan);
WhyNot why_not_texel_buffer(const TileOperands& operands, const DevicePlan& plan);
WhyNot why_not_shared_memory_tile(const DevicePlan& plan);
WhyNot why_not_small_tile(const DevicePlan& plan);

// Returns whether fp16 operands that are stored by K steps are transposed on their way into shared memory.
// AMD's drivers load such cooperative matrices element by element; NVIDIA's transpose while loading.
inline bool transposes_steps(const DevicePlan& plan) { return plan.vendor_id == kAmd; }

// Returns whether a kernel with both variants should read this many texels through a view, not from storage
// buffers. `is_vec4`: it reads vec4.
bool reads_texels(bool is_vec4, uint64_t texels, const DevicePlan& plan, KernelLog* log = nullptr);

}  // namespace nnrt::vulkan
