// MATMUL and FULL_CONNECTION with constant weights that are stored as 16-bit floats.
#pragma once

#include "backends/cpu/gemm/gemm_conv_kernels.h"

namespace nnrt::cpu {

WhyNot why_not_half_gemm(const MatMulProblem& problem);
Status half_gemm(const MatMulProblem& problem);
Status prepack_half_gemm(const MatMulProblem& problem);

}  // namespace nnrt::cpu
