// Runs of steps that map each element of a tensor.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Computes the only output, already placed, of a step with Step::table, rounded or quantized, before
// post-ops.
void map_values(const Program::Step& step, const Node& node, const RunContext& context, ThreadPool& pool);

}  // namespace nnrt::cpu
