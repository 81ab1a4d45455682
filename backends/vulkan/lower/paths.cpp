#include "backends/vulkan/lower/paths.h"

#include "backends/vulkan/lower/texel_views.h"
#include "core/text.h"

#include <algorithm>

namespace nnrt::vulkan {
namespace {

Refusal never(const Work&, const DevicePlan&) { return std::nullopt; }
Refusal never(const DevicePlan&) { return std::nullopt; }

Refusal cannot_shuffle(const Work& work, const DevicePlan& plan) {
  if (plan.shuffled != kOctet) {
    return cat(plan.shuffled, " invocations exchange values, not ", kOctet, ".");
  }
  if (!work.together) return "Eight invocations together would have too little to do.";
  if (*work.together <= plan.max_texels) return std::nullopt;
  return cat("An operand has ", *work.together, " texels, the device shows ", plan.max_texels, ".");
}

Refusal cannot_view(const Work& work, const DevicePlan& plan) {
  if (!plan.quad_operations) return "Its invocations cannot exchange what they read.";
  const uint64_t most = texels_of_part(plan);
  const uint64_t wanted = std::max(work.left_texels, work.right_texels);
  if (wanted <= most) return std::nullopt;
  return cat("A dispatch would read ", wanted, " texels of an operand, the device shows ", most, ".");
}

Refusal should_not_view(const DevicePlan& plan) {
  if (plan.is_software) return std::nullopt;
  return "GPUs read storage buffers as fast.";
}

Refusal cannot_share(const Work&, const DevicePlan& plan) {
  if (plan.max_group_invocations >= kSharedGroup) return std::nullopt;
  return cat("Its workgroups (", plan.max_group_invocations, ") are smaller than ", kSharedGroup,
             " invocations.");
}

Refusal should_not_share(const DevicePlan& plan) {
  if (!plan.is_software) return std::nullopt;
  return "Software drivers are slow with shared memory.";
}

// `octets` and `formatted` read through views of texels, eight and four invocations together; `shared` and
// `registers` read storage buffers, the former so that a workgroup reads each element once.
constexpr Path kPaths[] = {
    {PathId::octets, "octets", cannot_shuffle, should_not_view},
    {PathId::formatted, "formatted", cannot_view, should_not_view},
    {PathId::shared, "shared", cannot_share, should_not_share},
    {PathId::registers, "registers", never, never},
};

}  // namespace

std::span<const Path> paths() { return kPaths; }

PathId choose_path(const Work& work, const DevicePlan& plan) {
  for (const Path& path : kPaths) {
    if (path.name == plan.path && !path.cannot(work, plan)) return path.id;
  }
  for (const Path& path : kPaths) {
    if (!path.cannot(work, plan) && !path.should_not(plan)) return path.id;
  }
  return std::end(kPaths)[-1].id;
}

}  // namespace nnrt::vulkan
