// MATMUL and FULL_CONNECTION of FLOAT32 operands.
#include "backends/cpu/gemm/f32_dot.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "backends/cpu/gemm/matrix_rows.h"

#include <algorithm>

namespace nnrt::cpu {
namespace {

// One GEMM of a batch, on one thread. `panels` are packed, followed by the bias.
void multiply_alone(const KernelArgs& args, const GemmProblem& gemm, const float* left, const float* panels,
                    int64_t first) {
  const int64_t max_rows = f32_block(vector_bytes()).rows;
  const int64_t block_rows = divide_up(gemm.rows, divide_up(gemm.rows, max_rows));
  const F32OutputEpilogue end(args);
  const F32Rows rows{nullptr, left, gemm.inner(), 1, gemm.inner(), gemm.rows, block_rows};
  multiply_f32(vector_bytes(), rows, panels, gemm.columns,
               end.epilogue(panels + f32_group_floats(gemm), first), args.output<float>() + first,
               gemm.columns);
  end.apply_rest(first, gemm.rows, gemm.columns, gemm.columns);
}

int64_t batches_of(const MatMul& work) { return nnrt::product(work.batch, 0, work.batch.size()); }

// Operands and result of one GEMM of the batch.
struct Operands {
  const float *left, *right;
  int64_t first;
};
Operands operands_of(const MatMulProblem& problem, int64_t batch) {
  const MatMul& work = problem.work;
  const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
  const int64_t b = offset_of(batch, work.batch, work.batch_stride_b) * work.inner * work.columns;
  return {problem.args.input<float>(0) + a, problem.args.input<float>(1) + b,
          batch * work.rows * work.columns};
}

}  // namespace

bool shares_weights(const MatMul& work) {
  return std::ranges::all_of(work.batch_stride_b, [](int64_t stride) { return stride == 0; });
}

WhyNot why_not_batched_gemm(const MatMulProblem& problem) {
  constexpr int64_t kMaxPacked = int64_t{64} * 1024;  // floats that fit in a core's cache
  const MatMul& work = problem.work;
  if (work.transpose_a) return "The left operand is transposed.";
  if (shares_weights(work)) return WhyNot::slower("The matrices of the batch share one right operand.");
  const GemmProblem gemm = gemm_problem_of(work, problem.has_bias);
  if (work.transpose_b && is_narrow(gemm)) return WhyNot::slower("It is slower with {} rows.", work.rows);
  const int64_t batches = batches_of(work), threads = problem.args.pool.threads();
  if (batches < threads)
    return WhyNot::slower("It is slower with {} GEMMs for {} threads.", batches, threads);
  const int64_t packed = f32_group_floats(gemm);
  if (packed > kMaxPacked)
    return WhyNot::slower("It is slower with {} packed floats; {} stay in a cache.", packed, kMaxPacked);
  return {};
}

Status batched_gemm(const MatMulProblem& problem) {
  const KernelArgs& args = problem.args;
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  const int64_t bias_floats = gemm.columns + f32_block(vector_bytes()).lanes;
  const size_t floats = size_t(f32_group_floats(gemm) + bias_floats);
  args.scratch->reserve(args.pool.threads(), floats * sizeof(float));
  args.pool.parallel_for(batches_of(problem.work), 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const panels = reinterpret_cast<float*>(args.scratch->of_worker(worker, floats * sizeof(float)));
    float* const bias = panels + f32_group_floats(gemm);
    std::fill_n(bias, bias_floats, 0.0f);
    if (gemm.has_bias) std::copy_n(args.input<float>(2), gemm.columns, bias);
    ThreadPool alone = args.pool.share(1, 0);
    for (int64_t batch = begin; batch < end; ++batch) {
      const Operands operands = operands_of(problem, batch);
      pack_f32(gemm, operands.right, alone, panels);
      multiply_alone(args, gemm, operands.left, panels, operands.first);
    }
  });
  return {};
}

WhyNot why_not_gemv(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  if (work.transpose_a) return "The left operand is transposed.";
  if (!work.transpose_b && batches_of(work) > 1)
    return WhyNot::slower("It is slower with a batch of {} matrices [inner, columns].", batches_of(work));
  if (!is_narrow(gemm_problem_of(work, problem.has_bias)))
    return WhyNot::slower("It is slower with {} rows.", work.rows);
  return {};
}

Status gemv(const MatMulProblem& problem) {
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  for (int64_t batch = 0; batch < batches_of(problem.work); ++batch) {
    const Operands operands = operands_of(problem, batch);
    multiply_narrow(problem.args, gemm, operands.left, operands.right,
                    problem.args.output<float>() + operands.first);
  }
  return {};
}

WhyNot why_not_matmul_dot(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  if (work.transpose_a) return "The left operand is transposed.";
  if (!work.transpose_b && work.columns > 1) return {"The {} columns are not contiguous.", work.columns};
  return why_not_dot(work.columns, work.inner);
}

Status matmul_dot(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  const GemmProblem gemm = gemm_problem_of(work, problem.has_bias);
  const float* const bias = problem.has_bias ? problem.args.input<float>(2) : nullptr;
  for (int64_t batch = 0; batch < batches_of(work); ++batch) {
    const Operands operands = operands_of(problem, batch);
    multiply_dot(problem.args, gemm, operands.right, bias,
                 MatrixRows<float>{operands.left, work.rows, work.inner, false}, operands.first,
                 work.columns);
  }
  return {};
}

Status prepack_matmul_f32(const MatMulProblem& problem) {
  if (!shares_weights(problem.work)) return {};
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  static_cast<void>(f32_weights(problem.args, gemm, problem.args.input<float>(1)));
  return {};
}

Status matmul_f32(const MatMulProblem& problem) {
  const MatMul& work = problem.work;
  const GemmProblem gemm = gemm_problem_of(work, problem.has_bias);
  KernelArgs own = problem.args;
  if (!shares_weights(work)) own.prepacked = nullptr;  // only a single matrix can be cached
  for (int64_t batch = 0; batch < batches_of(work); ++batch) {
    const Operands operands = operands_of(problem, batch);
    const PrepackedBytes prepacked = f32_weights(own, gemm, operands.right);
    multiply_f32(own, gemm, prepacked, 0,
                 MatrixRows<float>{operands.left, work.rows, work.inner, work.transpose_a}, operands.first,
                 work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
