// The rewrites of a normalized graph that come before it is placed: they compute what is the same in every
// run.
#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/passes/fold_constants.h"
#include "core/passes/kernel_choice.h"

#include <string_view>
#include <vector>

namespace nnrt {

struct ConstantContext {
  bool is_for_plugin = false;
  const Evaluate* evaluate = nullptr;  // on the CPU; null: none takes part
  KernelSwitch of_cpu = {};

  const KernelSwitch& kernels() const { return of_cpu; }
};

// Each pass is written to `log`, with the reason of one that did not run.
Result<GraphPtr> run_constant_passes(const GraphPtr& graph, const ConstantContext& context,
                                     std::vector<PassChoice>& log);

// Names them for the switch of the CPU, which computes the constants.
std::vector<std::string_view> constant_pass_names();

}  // namespace nnrt
