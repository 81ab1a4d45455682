#include "backends/cpu/gemm/split_gemm.h"

#include "backends/cpu/gemm/matrix_rows.h"

namespace nnrt::cpu {

SplitWeights::SplitWeights(const KernelArgs& args, const GemmProblem& gemm)
    : group_bytes_(split_group_bytes(gemm)),
      columns_(gemm.columns),
      padded_channels_(gemm.channels() + kInt8PanelColumns) {
  const int64_t panel_bytes = gemm.groups * group_bytes_;
  const int64_t bytes = panel_bytes + (padded_channels_ + 1) * int64_t(sizeof(float));
  prepacked_ = args.prepacked_from(1, size_t(bytes), [&](std::byte* to) {
    auto* const floats = reinterpret_cast<float*>(to + panel_bytes);
    std::fill_n(floats, padded_channels_, 0.0f);
    if (gemm.has_bias) std::copy_n(args.input<float>(2), gemm.channels(), floats);
    const bool is_finite =
        pack_split_weights(gemm, args.input<float>(1), args.pool, reinterpret_cast<int8_t*>(to));
    floats[padded_channels_] = is_finite ? 1.0f : 0.0f;
  });
  floats_ = reinterpret_cast<const float*>(prepacked_.data + panel_bytes);
}

WhyNot why_not_split(const KernelArgs& args, const GemmProblem& gemm) {
  if (args.node.dtype() != DType::f32) return "It supports only FLOAT32.";
  if (!args.may_round) return "The model may not be computed in FLOAT16.";
  if (!has_amx()) return "The processor has no AMX, or NNRT_TEST_CPU_ISA disables it.";
  if (!args.are_constant(1)) return "Weights or bias are not constant.";
  if (!args.shapes_stay) return "Shapes are known only at run time.";
  if (gemm.inner() == 0) return "There is nothing to sum.";
  constexpr int64_t kMinRows = 12;  // fewer take as long as a tile
  if (gemm.rows < kMinRows)
    return WhyNot::slower("It is slower with {} rows; it pays off from {}.", gemm.rows, kMinRows);
  // Costs per row, in products: of splitting a float, and of moving a vector of sums from its tile through
  // memory. Measured while other guests use the tiles, which then compute three products in the time of two
  // FMAs.
  constexpr int64_t kSplitFloat = 48, kStoredSums = 1800;
  const int64_t vectors = divide_up(gemm.columns, kInt32Lanes);
  if (gemm.inner() * gemm.columns < gemm.inner() * kSplitFloat + vectors * kStoredSums)
    return WhyNot::slower("It is slower with {} products per row.", gemm.inner() * gemm.columns);
  return {};
}

WhyNot why_not_matmul_split(const MatMulProblem& problem) {
  if (!shares_weights(problem.work)) return "It does not support batches of weights.";
  return why_not_split(problem.args, gemm_problem_of(problem.work, problem.has_bias));
}

Status prepack_matmul_split(const MatMulProblem& problem) {
  static_cast<void>(SplitWeights(problem.args, gemm_problem_of(problem.work, problem.has_bias)));
  return {};
}

Status matmul_split(const MatMulProblem& problem) {
  const auto& [args, work, has_bias] = problem;
  const GemmProblem gemm = gemm_problem_of(work, has_bias);
  const SplitWeights weights(args, gemm);
  const int64_t batches = nnrt::product(work.batch, 0, work.batch.size());
  for (int64_t batch = 0; batch < batches; ++batch) {
    const int64_t a = offset_of(batch, work.batch, work.batch_stride_a) * work.rows * work.inner;
    multiply_split(args, gemm, weights, 0,
                   MatrixRows<float>{args.input<float>(0) + a, work.rows, work.inner, work.transpose_a},
                   batch * work.rows * work.columns, work.columns);
  }
  return {};
}

}  // namespace nnrt::cpu
