// Implementations of MATMUL and FULL_CONNECTION.
#include "backends/cpu/base/implementation_list.h"
#include "backends/cpu/gemm/half/half_matmul.h"
#include "backends/cpu/gemm/int8_column/int8_column.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/gemm/matmul_kernels.h"
#include "backends/cpu/gemm/matrix_rows.h"
#include "backends/cpu/gemm/split_gemm.h"

namespace nnrt::cpu {
namespace {

Result<MatMulProblem> matmul(const KernelArgs& args) {
  NNRT_ASSIGN(MatMul work, matmul_of(args.node));
  return MatMulProblem{args, fold_batch(std::move(work)), false};
}

bool has_bias(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  return node.input_count() == 3 && (!attrs.has(Attr::has_bias) || attrs.flag(Attr::has_bias));
}

Result<MatMulProblem> full_connection(const KernelArgs& args) {
  NNRT_ASSIGN(MatMul work, matmul_of(args.node));
  return MatMulProblem{args, std::move(work), has_bias(args.node)};
}

WhyNot why_not_fp32(const MatMulProblem& problem) {
  return problem.dtype() == DType::f32 ? WhyNot() : "It supports only FLOAT32.";
}

// Only one matrix of a constant batch could be cached.
WhyNot why_not_int8_batch(const MatMulProblem& problem) {
  const bool is_kept = problem.args.node.input(1).is_constant();
  return problem.work.batch.empty() || !is_kept ? WhyNot()
                                                : "It does not support batches with a constant operand.";
}

WhyNot why_not_amx_gemm(const MatMulProblem& problem) {
  const GemmProblem gemm = gemm_problem_of(problem.work, problem.has_bias);
  if (const WhyNot why = why_not_amx(problem.args, gemm, true)) return why;
  // Its packed weights serve only a run with many rows.
  if (!problem.args.shapes_stay) return "Shapes are known only at run time.";
  return why_not_int8_batch(problem);
}

WhyNot why_not_dot_gemm(const MatMulProblem& problem) {
  if (const WhyNot why = why_not_int8_dot(problem.args.node)) return why;
  return why_not_int8_batch(problem);
}

template <Int8Kernel kKernel>
Status multiply_int8(const MatMulProblem& problem) {
  return matmul_int8(problem, kKernel);
}
template <Int8Kernel kKernel>
Status prepack_int8(const MatMulProblem& problem) {
  return prepack_matmul_int8(problem, kKernel);
}

constexpr Implementation<MatMulProblem> kMatMuls[] = {
    {"int8_column", why_not_int8_column, int8_column, prepack_int8<Int8Kernel::dot>},
    {kAmxGemm, why_not_amx_gemm, multiply_int8<Int8Kernel::amx>, prepack_int8<Int8Kernel::amx>},
    {kDotGemm, why_not_dot_gemm, multiply_int8<Int8Kernel::dot>, prepack_int8<Int8Kernel::dot>},
    {"half_gemm", why_not_half_gemm, half_gemm, prepack_half_gemm},
    {"batched_gemm",
     [](const MatMulProblem& problem) {
       const WhyNot why = why_not_fp32(problem);
       return why ? why : why_not_batched_gemm(problem);
     },
     batched_gemm},
    {"gemv",
     [](const MatMulProblem& problem) {
       const WhyNot why = why_not_fp32(problem);
       return why ? why : why_not_gemv(problem);
     },
     gemv},
    {"fp32_dot",
     [](const MatMulProblem& problem) {
       const WhyNot why = why_not_fp32(problem);
       return why ? why : why_not_matmul_dot(problem);
     },
     matmul_dot},
    {kSplitGemm, why_not_matmul_split, matmul_split, prepack_matmul_split},
    {"fp32_gemm", why_not_fp32, matmul_f32, prepack_matmul_f32},
    {"generic_gemm", nullptr, generic_gemm, prepack_generic_gemm},
};

constexpr KernelRow kMatmulKernels[] = {
    Choices<kMatMuls, matmul>::row(Op::matmul),
    Choices<kMatMuls, full_connection>::row(Op::full_connection),
};

}  // namespace

Result<MatMulProblem> matmul_problem(const KernelArgs& args) {
  return args.node.op() == Op::matmul ? matmul(args) : full_connection(args);
}

std::span<const KernelRow> matmul_kernels() { return kMatmulKernels; }

}  // namespace nnrt::cpu
