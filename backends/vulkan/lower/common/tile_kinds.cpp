#include "backends/vulkan/lower/common/tile_kinds.h"

#include "backends/vulkan/lower/common/row_groups.h"
#include "backends/vulkan/lower/common/texel_views.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

struct TexelRead {
  bool is_vec4 = false;
  uint64_t texels = 0;
};

struct ReadKind {
  std::string_view name;
  WhyNot (*why_not)(const TexelRead&, const DevicePlan&);
  bool is_texel_buffer;
};

WhyNot why_not_read_texels(const TexelRead& read, const DevicePlan& plan) {
  if (!read.is_vec4) return "Its channels are not a multiple of 4.";
  return why_not_texel_buffer({read.texels, read.texels}, plan);
}

constexpr ReadKind kReadKinds[] = {{"texel_buffer", why_not_read_texels, true},
                                   {"storage_buffer", nullptr, false}};

}  // namespace

WhyNot why_not_subgroup_tile(const TileOperands& operands, const DevicePlan& plan) {
  if (plan.shuffled != kSubgroup8) return {"The shuffle width is {}, not {}.", plan.shuffled, kSubgroup8};
  if (!operands.whole) return "It has too little work for a subgroup of 8.";
  if (*operands.whole > plan.max_texels) {
    return {"An operand has {} texels; the device's limit is {}.", *operands.whole, plan.max_texels};
  }
  return plan.is_software ? WhyNot() : WhyNot::slower("GPUs read storage buffers as fast as texels.");
}

WhyNot why_not_texel_buffer(const TileOperands& operands, const DevicePlan& plan) {
  if (!plan.quad_operations) return "The device has no quad operations.";
  const uint64_t max = texels_of_part(plan);
  const uint64_t wanted = std::max(operands.left, operands.right);
  if (wanted > max) {
    return {"A dispatch would read {} texels of an operand; the device's limit is {}.", wanted, max};
  }
  return plan.is_software ? WhyNot() : WhyNot::slower("GPUs read storage buffers as fast as texels.");
}

WhyNot why_not_shared_memory_tile(const DevicePlan& plan) {
  if (const WhyNot why = why_not_sharing(plan)) return why;
  if (plan.is_software) return WhyNot::slower("Shared memory is slow on software drivers.");
  return plan.fast_shared_memory ? WhyNot() : WhyNot::slower("Shared memory is no faster than the caches.");
}

WhyNot why_not_small_tile(const DevicePlan& plan) {
  if (plan.is_software) return WhyNot::slower("Software drivers compute larger tiles faster.");
  return plan.fast_shared_memory ? WhyNot::slower("Tiles in shared memory are faster.") : WhyNot();
}

bool reads_texels(bool is_vec4, uint64_t texels, const DevicePlan& plan, KernelLog* log) {
  const ReadKind* kind = choose_kernel(std::span<const ReadKind>(kReadKinds), plan.kernels, log,
                                       TexelRead{is_vec4, texels}, plan);
  return kind != nullptr && kind->is_texel_buffer;
}

}  // namespace nnrt::vulkan
