// An operator's kernels in the order in which they are tried; the last one supports everything.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/base/text.h"
#include "core/passes/kernel_choice.h"

#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

template <typename Work>
struct Kernel {
  std::string_view name;  // for NNRT_VULKAN_KERNELS
  // Null if the kernel always applies. Reasons from the device or the shapes must come before reasons of
  // speed.
  WhyNot (*why_not)(const LoweringContext&, const Work&);
  Status (*lower)(const LoweringContext&, const Work&);
  View::Takes takes = View::none;  // besides what its operator takes
  // Upper bound of an invocation's loop iterations (loop_limit.h), for lists in which another kernel loops
  // less. Null: the dispatches alone are checked.
  uint64_t (*iterations)(const LoweringContext&, const Work&) = nullptr;
};

inline constexpr std::string_view kAllForbidden =
    "NNRT_VULKAN_KERNELS forbids every kernel that supports it.";

using nnrt::why_not;

// Why a kernel is not used. It cannot compute what the driver would end.
template <typename Work>
WhyNot why_not(const Kernel<Work>& kernel, const LoweringContext& context, const Work& work) {
  const WhyNot why = kernel.why_not == nullptr ? WhyNot() : kernel.why_not(context, work);
  if ((why && !why.is_preference()) || kernel.iterations == nullptr) return why;
  if (!exceeds_loop_limit(kernel.iterations(context, work), context.plan)) return why;
  return {"An invocation would loop more than {} times.", context.plan.max_loop_iterations};
}

// Lowers by the chosen kernel. Code::unsupported if none is left.
template <typename Work>
Status lower_by_list(std::span<const Kernel<Work>> list, const LoweringContext& context, const Work& work) {
  const DevicePlan& plan = context.plan;
  KernelLog* const log = context.sink.kernel_log();
  const Kernel<Work>* chosen = choose_kernel(list, plan.kernels, log, context, work);
  // Drop a repeated entry: LSTM for example chooses once per layer.
  if (log != nullptr && log->size() > 1 && log->back() == log->end()[-2]) log->pop_back();
  if (chosen != nullptr)
    return chosen->lower({context.node, plan, context.sink, context.takes | chosen->takes}, work);
  if (plan.max_loop_iterations == 0) return unsupported(kAllForbidden);
  return unsupported("Every kernel that supports it loops more than ", plan.max_loop_iterations,
                     " times, or NNRT_VULKAN_KERNELS forbids it.");
}

template <typename Work>
std::vector<std::string_view> names_of(std::span<const Kernel<Work>> list) {
  std::vector<std::string_view> names;
  for (const Kernel<Work>& kernel : list) names.push_back(kernel.name);
  return names;
}

}  // namespace nnrt::vulkan
