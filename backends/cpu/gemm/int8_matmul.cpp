// Quantized matrix products on processors with has_int8_dot().
#include "backends/cpu/gemm/gemm_conv_kernels.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/gemm/matrix_rows.h"
#include "core/base/shape.h"

namespace nnrt::cpu {

Status prepack_matmul_int8(const MatMulProblem& problem) {
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  static_cast<void>(int8_weights(problem.args, gemm, problem.args.input<int8_t>(1)));
  return {};
}

Status matmul_int8(const MatMulProblem& problem, Int8Kernel kernel) {
  const auto& [args, work, has_bias] = problem;
  const GemmProblem gemm = gemm_problem_of(work, has_bias);
  const int64_t batches = nnrt::product(work.batch, 0, work.batch.size());
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
    const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
    const PrepackedBytes prepacked = int8_weights(args, gemm, args.input<int8_t>(1) + b);
    multiply_int8(args, gemm, prepacked, 0, kernel,
                  MatrixRows<int8_t>{args.input<int8_t>(0) + a, work.rows, work.inner, work.transpose_a},
                  args.output<int8_t>() + batch * work.rows * work.columns, work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
