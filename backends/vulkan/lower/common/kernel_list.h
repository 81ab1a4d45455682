// An operator's kernels, from the one that is tried first to the one that computes anything.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/base/text.h"
#include "core/passes/kernel_choice.h"

#include <span>
#include <string_view>

namespace nnrt::vulkan {

template <typename Work>
struct Kernel {
  std::string_view name;  // for NNRT_VULKAN_KERNELS
  // Null where there is never a reason against it. One that the device or the shapes give stands before those
  // of speed.
  WhyNot (*why_not)(const LoweringContext&, const Work&);
  Status (*lower)(const LoweringContext&, const Work&);
};

inline constexpr std::string_view kAllForbidden =
    "NNRT_VULKAN_KERNELS forbids every kernel that could compute it.";

// Lowers the work by the kernel that is chosen. Code::unsupported where all that could are forbidden.
template <typename Work>
Status lower_by_list(std::span<const Kernel<Work>> list, const LoweringContext& context, const Work& work) {
  KernelLog* const log = context.sink.kernel_log();
  const Kernel<Work>* chosen = choose_kernel(list, context.plan.kernels, log, context, work);
  // A node may compute the same thing many times, as LSTM does for its layers.
  if (log != nullptr && log->size() > 1 && log->back() == log->end()[-2]) log->pop_back();
  if (chosen == nullptr) return unsupported(kAllForbidden);
  return chosen->lower(context, work);
}

// The names of a list, for those who read them.
template <typename Work>
std::vector<std::string_view> names_of(std::span<const Kernel<Work>> list) {
  std::vector<std::string_view> names;
  for (const Kernel<Work>& kernel : list) names.push_back(kernel.name);
  return names;
}

}  // namespace nnrt::vulkan
