// Elementwise operations on a single 8-bit tensor, such as the x * sigmoid(x) of a quantized network: one
// table of 256 entries, made when the model is prepared, replaces them all.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// Sets Step::table of nodes whose 8-bit result is such a function, and Step::folded of nodes whose result
// nothing reads any more. The tables hold what the kernels compute, so results don't change.
void find_byte_functions(Program& program, ThreadPool& pool);

// Computes the only output, which is placed, of a node with such a step.
void map_by_table(const Program::Table& table, const Node& node, const RunContext& context, ThreadPool& pool);

}  // namespace nnrt::cpu
