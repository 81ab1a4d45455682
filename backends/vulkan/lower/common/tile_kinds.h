// The kinds of kernels that compute GEMMs and convolutions tile by tile, and reasons against each.
#pragma once

#include "backends/vulkan/device/device_plan.h"
#include "core/passes/kernel_choice.h"

#include <cstdint>
#include <optional>

namespace nnrt::vulkan {

// The first two read through views of texels, by subgroups of 8 and by 4 invocations. The others read storage
// buffers, the former so that a workgroup reads each element once.
enum class TileKind : uint8_t { subgroup, texel_buffer, shared_memory, registers };

// The invocations that exchange values in a subgroup tile.
inline constexpr uint32_t kSubgroup8 = 8;

// The invocations of a workgroup of int8_dot.comp.
inline constexpr uint32_t kSharedGroup = 256;

constexpr bool has_views(TileKind kind) { return kind <= TileKind::texel_buffer; }

// The operands' sizes in texels.
struct TileOperands {
  // The least that one dispatch must see at a time.
  uint64_t left = 0, right = 0;
  // All of the larger one; nothing where there is no subgroup tile for such operands.
  std::optional<uint64_t> whole = {};
};

WhyNot why_not_subgroup_tile(const TileOperands& operands, const DevicePlan& plan);
WhyNot why_not_texel_buffer(const TileOperands& operands, const DevicePlan& plan);
WhyNot why_not_shared_memory_tile(const DevicePlan& plan);

// Returns whether a kernel that comes in both variants reads so many texels through a view, and not storage
// buffers. `is_vec4`: it reads vec4 at all.
bool reads_texels(bool is_vec4, uint64_t texels, const DevicePlan& plan, KernelLog* log = nullptr);

}  // namespace nnrt::vulkan
