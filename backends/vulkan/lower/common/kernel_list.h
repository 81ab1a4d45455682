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
};

inline constexpr std::string_view kAllForbidden =
    "NNRT_VULKAN_KERNELS forbids every kernel that supports it.";

// Discards the commands of a trial lowering; records only whether a dispatch exceeds the device's loop limit.
class LoopTrial final : public CommandSink {
 public:
  LoopTrial(CommandSink& sink, const DevicePlan& plan) : sink_(sink), plan_(plan) {}

  void add(Command command) override {
    const auto* dispatch = std::get_if<Dispatch>(&command);
    if (dispatch != nullptr && exceeds_loop_limit(dispatch->iterations, plan_)) exceeds = true;
  }
  Buffer scratch(size_t) override { return {Buffer::Space::scratch, next_++}; }
  bool wants_data() const override { return false; }
  Buffer packed(TensorId, std::string_view, const Packing&, uint64_t) override {
    return {Buffer::Space::packed, next_++};
  }
  float winograd_limit(TensorId tensor, const std::function<float()>& compute) override {
    return sink_.winograd_limit(tensor, compute);
  }
  View view(const View& own, View::Takes takes) override { return sink_.view(own, takes & View::fp16); }
  LoopTrial* loop_trial() override { return this; }

  bool exceeds = false;

 private:
  CommandSink& sink_;
  const DevicePlan& plan_;
  uint32_t next_ = 0;
};

// Returns the list with a reason added to each kernel that exceeds the device's loop limit, up to the first
// one within it. Empty if all exceed it. `fits` lowers by a kernel and returns whether it stays within the
// limit.
template <typename Work, typename Fits>
std::vector<Kernel<Work>> within_loop_limit(std::span<const Kernel<Work>> list,
                                            const LoweringContext& context, const Work& work, Fits fits) {
  std::vector<Kernel<Work>> rows(list.begin(), list.end());
  const auto choose = [&] {
    const std::span<const Kernel<Work>> all(rows);
    return choose_kernel(all, context.plan.kernels, nullptr, context, work);
  };
  while (const Kernel<Work>* const chosen = choose()) {
    if (fits(*chosen)) return rows;
    rows[size_t(chosen - rows.data())].why_not = [](const LoweringContext& limited, const Work&) {
      return WhyNot("An invocation would loop more than {} times.", limited.plan.max_loop_iterations);
    };
  }
  return {};
}

// Lowers as part of an outer trial, so the commands are discarded.
template <typename Work>
Status lower_on_trial(std::span<const Kernel<Work>> list, const LoweringContext& context, const Work& work) {
  LoopTrial& trial = *context.sink.loop_trial();
  const bool exceeded = trial.exceeds;
  Status status = unsupported(kAllForbidden);
  const auto rows = within_loop_limit(list, context, work, [&](const Kernel<Work>& kernel) {
    trial.exceeds = false;
    status = kernel.lower(context, work);
    return !status.ok() || !trial.exceeds;
  });
  trial.exceeds = exceeded || rows.empty();
  return status;
}

// Lowers by the chosen kernel. Code::unsupported if every suitable kernel is forbidden. If all exceed the
// device's loop limit, one is lowered anyway and its dispatch gets refused.
template <typename Work>
Status lower_by_list(std::span<const Kernel<Work>> list, const LoweringContext& context, const Work& work) {
  if (context.sink.loop_trial() != nullptr) return lower_on_trial(list, context, work);
  std::vector<Kernel<Work>> within;
  if (context.plan.max_loop_iterations > 0) {
    within = within_loop_limit(list, context, work, [&](const Kernel<Work>& kernel) {
      LoopTrial trial(context.sink, context.plan);
      return !kernel.lower({context.node, context.plan, trial}, work).ok() || !trial.exceeds;
    });
    if (!within.empty()) list = within;
  }
  KernelLog* const log = context.sink.kernel_log();
  const Kernel<Work>* chosen = choose_kernel(list, context.plan.kernels, log, context, work);
  // Drop a repeated entry: LSTM for example chooses once per layer.
  if (log != nullptr && log->size() > 1 && log->back() == log->end()[-2]) log->pop_back();
  if (chosen == nullptr) return unsupported(kAllForbidden);
  return chosen->lower({context.node, context.plan, context.sink, context.takes | chosen->takes}, work);
}

template <typename Work>
std::vector<std::string_view> names_of(std::span<const Kernel<Work>> list) {
  std::vector<std::string_view> names;
  for (const Kernel<Work>& kernel : list) names.push_back(kernel.name);
  return names;
}

}  // namespace nnrt::vulkan
