// Graph passes before placement: precompute what does not depend on the run.
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
  const Evaluate* evaluate = nullptr;  // on the CPU; null if there is none
  KernelSwitch of_cpu = {};

  const KernelSwitch& kernels() const { return of_cpu; }
};

// Logs each pass, with the reason if it was skipped.
Result<GraphPtr> run_constant_passes(const GraphPtr& graph, const ConstantContext& context,
                                     std::vector<PassChoice>& log);

// Names for the CPU's kernel switch, as the CPU computes the constants.
std::vector<std::string_view> constant_pass_names();

}  // namespace nnrt
