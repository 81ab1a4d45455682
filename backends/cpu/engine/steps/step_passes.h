// Passes over prepared nodes: one step computes several of them. They change only steps that still run the
// kernel of their own operator, and no result.
#pragma once

#include "backends/cpu/engine/cpu_program.h"
#include "backends/cpu/kernels/appended_rows.h"
#include "core/passes/kernel_choice.h"

#include <string_view>
#include <vector>

namespace nnrt::cpu {

// Call before find_last_readers().
void run_step_passes(Program& program, ThreadPool& pool);

// NNRT_CPU_KERNELS can forbid them by name.
std::vector<std::string_view> step_pass_names();
std::vector<PassChoice> step_pass_choices(const KernelSwitch& kernels);

// Elementwise operations on a single 8-bit tensor, such as the x * sigmoid(x) of a quantized network: one
// table of 256 entries, which holds what the kernels compute, replaces them all.
void find_byte_functions(Program& program, ThreadPool& pool);

// Depthwise convolutions by tiles of rows (conv/row_tiles/row_tiled_conv.h), where the tensors between the
// convolutions do not fit in a core's cache. Forced, it ignores sizes.
void find_row_tiles(Program& program, ThreadPool& pool);

// Residual ADDs in the epilogue of quantized convolutions.
void find_residual_steps(Program& program, ThreadPool& pool);

// Dynamically quantized products: SUB (of zero points), CAST to FLOAT32, MUL (scale) and ADD (bias) in the
// epilogue of the product of integers, with the MULs that make the subtrahend and the scale.
void find_scaled_products(Program& program, ThreadPool& pool);

// Growing key/value caches: ATTENTION concatenates past and new keys and values while it reads them.
void find_cache_appends(Program& program, ThreadPool& pool);

// What the step can append while it computes, in this run. Nothing if its CONCATs are as fast before it.
AppendedInputs appended_inputs(const Program& program, const RunContext& context, const Program::Step& step,
                               const NodeView& view);

}  // namespace nnrt::cpu
