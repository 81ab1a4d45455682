// Quantized MATMUL and FULL_CONNECTION with one column: vectors run along the inner dimension, so they are
#include "backends/cpu/gemm/matmul_kernels.h"
// full.
#pragma once

namespace nnrt::cpu {

// It shares the packed weights of the dot GEMM: prepack_matmul_int8().
WhyNot why_not_int8_column(const MatMulProblem& problem);
Status int8_column(const MatMulProblem& problem);

}  // namespace nnrt::cpu
