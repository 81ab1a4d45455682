// Runs of steps that compute nodes before them too.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Arguments of a node with these inputs, which writes the outputs in `context`.
KernelArgs kernel_args(const Program& program, RunContext& context, ThreadPool& pool,
                       const Program::Step& step, const NodeView& view, std::span<const std::byte* const> in);

// Computes a step with includes_nodes(), whose inputs and outputs are placed; of its post-ops only those of
// its ScaledProduct.
Status compute_with_included(const Program& program, RunContext& context, ThreadPool& pool,
                             const Program::Step& step, const NodeView& view);

}  // namespace nnrt::cpu
