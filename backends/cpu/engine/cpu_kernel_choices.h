// Selects the implementation of each node, before any run if its shapes are known by then.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

#include <optional>

namespace nnrt::cpu {

// Parses NNRT_CPU_KERNELS (names of implementations and graph passes). Warns about unknown names.
KernelSwitch kernel_switch();

// Returns whether everything but the inputs' contents is known before a run, and no input is empty.
bool is_known_before_runs(const Program& program, NodeId id);

// Kernel arguments before any run: only constants have contents.
class ArgsBeforeRun {
 public:
  ArgsBeforeRun(const Program& program, NodeId id, ThreadPool& pool)
      : ArgsBeforeRun(program, id, pool, program.graph->shapes) {}
  // With these shapes of all tensors instead of the graph's.
  ArgsBeforeRun(const Program& program, NodeId id, ThreadPool& pool, const std::vector<Shape>& shapes);

  const KernelArgs& args() const { return args_; }
  // Returns whether every run selects this implementation.
  bool choose(std::string_view implementation) const;
  // The INT8 GEMM that computes the node, if one does.
  std::optional<Int8Kernel> int8_kernel() const;

 private:
  NodeView view_;
  std::vector<const std::byte*> in_;
  KernelArgs args_;
};

// Selects for each node known before runs; other nodes select in every run. Fails if NNRT_CPU_KERNELS
// disables every implementation of a node.
Status choose_kernels(Program& program, ThreadPool& pool);

// Evaluates the lists again, with reasons.
KernelReport kernel_report(const Program& program, const ThreadPool& pool);

}  // namespace nnrt::cpu
