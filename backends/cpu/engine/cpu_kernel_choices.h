// Implementations of the nodes of a program: chosen before any run where shapes are known by then.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// NNRT_CPU_KERNELS, with names of implementations and of graph passes. A text is warned of once.
KernelSwitch kernel_switch();

// Returns whether all but the contents of the node's work is known, and it is not empty.
bool is_known_before_runs(const Program& program, NodeId id);

// The arguments of a node's kernel before any run: the contents of constants alone.
class ArgsBeforeRun {
 public:
  ArgsBeforeRun(const Program& program, NodeId id, ThreadPool& pool);

  const KernelArgs& args() const { return args_; }

 private:
  NodeView view_;
  std::vector<const std::byte*> in_;
  KernelArgs args_;
};

// Chooses for each node that is known before runs; the others choose in each run. An error where what is
// forbidden leaves nothing for a node.
Status choose_kernels(Program& program, ThreadPool& pool);

// Reads the lists again, with text.
KernelReport kernel_report(const Program& program, const ThreadPool& pool);

}  // namespace nnrt::cpu
