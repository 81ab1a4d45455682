// MATMUL and FULL_CONNECTION with constant weights that are stored as 16-bit floats.
#include "backends/cpu/gemm/matmul_kernels.h"
#pragma once

namespace nnrt::cpu {

WhyNot why_not_half_gemm(const MatMulProblem& problem);
Status half_gemm(const MatMulProblem& problem);
Status prepack_half_gemm(const MatMulProblem& problem);

}  // namespace nnrt::cpu
