// Residual ADDs in the epilogue of quantized convolutions.
#pragma once

#include "backends/cpu/engine/cpu_program.h"

namespace nnrt::cpu {

// In NNRT_CPU_KERNELS and in kernel reports.
inline constexpr const char* kResidual = "conv_residual";

// Sets Step::residual of ADDs, and Step::folded of the convolutions before them. Results don't change.
void find_residual_steps(Program& program, ThreadPool& pool);

}  // namespace nnrt::cpu
