#include "backends/cpu/gemm/half/half_matmul.h"

#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/half/half_microkernel.h"
#include "backends/cpu/gemm/half/half_weights.h"
#include "backends/cpu/gemm/matrix_rows.h"

#include <array>
#include <optional>

namespace nnrt::cpu {
namespace {

// Rows of FLOAT32 or FLOAT16 times the weights.
class HalfGemm {
 public:
  HalfGemm(const MatMulProblem& problem, const HalfWeights& weights)
      : args_(problem.args),
        weights_(weights),
        gemm_(gemm_problem_of(problem.work, problem.has_bias)),
        left_(problem.args, 0) {
    if (problem.dtype() == DType::f16) {
      converted_.emplace(problem.args, problem.has_bias, gemm_.columns);
    } else {
      direct_.emplace(problem.args);
    }
  }

  // Matrix `left` of input 0 gives matrix `result` of the output.
  void run(int64_t left, int64_t result) {
    rows_ = left_.data() + left * gemm_.rows * gemm_.inner();
    first_row_ = result * gemm_.rows;
    if (gemm_.rows <= f32_block(vector_bytes()).rows) {
      run_few_rows();
    } else {
      run_many_rows();
    }
  }

 private:
  static constexpr int64_t kPanels = 4;  // panels of few rows at once

  int vectors_of(int64_t panel) const {
    return weights_.columns_of(panel) > f32_block(vector_bytes()).lanes ? 2 : 1;
  }

  // Widens weights in registers.
  void run_few_rows() {
    constexpr int64_t kGrain = int64_t{32} * 1024;  // products worth a task
    const int64_t width = f32_block(vector_bytes()).columns, stride = kPanels * width;
    const HalfRows rows{rows_, gemm_.inner(), gemm_.rows, gemm_.inner()};
    args_.pool.parallel_for(
        weights_.panels(), divide_up(kGrain, gemm_.inner() * width), [&](int64_t begin, int64_t end) {
          std::array<float, size_t(kMaxFloatRows * kPanels * kMaxFloatColumns)> sums;
          for (int64_t panel = begin; panel < end;) {
            int64_t count = std::min(kPanels, end - panel);
            if (count > 1 && vectors_of(panel + count - 1) == 1) --count;
            half_products(vector_bytes(), rows,
                          {weights_.panel(panel), count, vectors_of(panel), weights_.is_bfloat()},
                          sums.data(), stride);
            const int64_t columns = std::min(count * width, gemm_.columns - panel * width);
            store({0, panel * width, gemm_.rows, columns, sums.data(), stride});
            panel += count;
          }
        });
  }

  // Widens a panel again for each block of rows; the 16-bit values stay in L2.
  void run_many_rows() {
    const int64_t width = f32_block(vector_bytes()).columns;
    const Tiles tiles = tiles_of(gemm_, f32_tile_block(gemm_), args_.pool.threads());
    args_.pool.parallel_for(tiles.row_tiles * tiles.chunks, tiles.grain, [&](int64_t begin, int64_t end) {
      std::array<float, size_t(kMaxFloatRows * kMaxFloatColumns)> sums;
      for (int64_t task = begin; task < end; ++task) {
        const int64_t first_row = task / tiles.chunks * tiles.rows;
        const int64_t last_row = std::min(first_row + tiles.rows, gemm_.rows);
        const int64_t first = task % tiles.chunks * tiles.panels;
        for (int64_t p = first; p < std::min(first + tiles.panels, weights_.panels()); ++p) {
          const HalfPanels panel{weights_.panel(p), 1, vectors_of(p), weights_.is_bfloat()};
          for (int64_t row = first_row; row < last_row; row += tiles.block_rows) {
            const int64_t count = std::min(tiles.block_rows, last_row - row);
            half_products(vector_bytes(), {rows_ + row * gemm_.inner(), gemm_.inner(), count, gemm_.inner()},
                          panel, sums.data(), width);
            store({row, p * width, count, weights_.columns_of(p), sums.data(), width});
          }
        }
      }
    });
  }

  // Sums without bias.
  void store(Sums<float> sums) const {
    sums.row += first_row_;
    if (converted_) return converted_->store_block(sums, 0, gemm_.columns);
    for (int64_t r = 0; r < sums.rows; ++r)
      direct_->store_row({sums.data + r * sums.stride, size_t(sums.columns)}, weights_.bias() + sums.column,
                         (sums.row + r) * gemm_.columns + sums.column);
  }

  const KernelArgs& args_;
  const HalfWeights& weights_;
  const GemmProblem gemm_;
  const FloatInput left_;
  std::optional<F32OutputEpilogue> direct_;  // FLOAT32 results
  std::optional<GemmOutput> converted_;      // FLOAT16 results
  const float* rows_ = nullptr;
  int64_t first_row_ = 0;
};

}  // namespace

WhyNot why_not_half_gemm(const MatMulProblem& problem) {
  constexpr int64_t kFewWeights = int64_t{64} * 1024;  // fit in a core's cache as floats
  const MatMul& work = problem.work;
  if (problem.dtype() != DType::f32 && problem.dtype() != DType::f16)
    return "It supports only FLOAT32 and FLOAT16.";
  if (!problem.args.are_constant(1)) return "The weights are not constant.";
  if (work.transpose_a) return "The left operand is transposed.";
  if (!shares_weights(work)) return "It does not support batches of weights.";
  const HalfForm form = half_form_of(problem);
  if (form == HalfForm::none) return "The weights are not 16-bit floats.";
  if (form == HalfForm::unknown) return "The weights are packed for another kernel.";
  if (problem.args.prepacked == nullptr)
    return WhyNot::slower("It is slower if packed weights are not kept.");
  // With dynamic shapes, runs with any number of rows share the packed weights.
  const int64_t few_rows = f32_block(vector_bytes()).rows;
  if (problem.dtype() == DType::f32 && problem.args.shapes_stay && work.rows > few_rows)
    return WhyNot::slower("It is slower with {} rows; it pays off up to {}.", work.rows, few_rows);
  if (work.inner * work.columns < kFewWeights)
    return WhyNot::slower("It is slower with {} weights; it pays off from {}.", work.inner * work.columns,
                          kFewWeights);
  return {};
}

Status half_gemm(const MatMulProblem& problem) {
  const HalfWeights weights(problem);
  HalfGemm gemm(problem, weights);
  const MatMul& work = problem.work;
  const int64_t batches = product(work.batch, 0, work.batch.size());
  for (int64_t batch = 0; batch < batches; ++batch)
    gemm.run(offset_of(batch, work.batch, work.batch_stride_a), batch);
  return {};
}

Status prepack_half_gemm(const MatMulProblem& problem) {
  static_cast<void>(HalfWeights(problem));
  return {};
}

}  // namespace nnrt::cpu
