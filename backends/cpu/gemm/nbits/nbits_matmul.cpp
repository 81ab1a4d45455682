// MATMUL_NBITS: the weights stay quantized in memory.
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/implementation_list.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "backends/cpu/gemm/nbits/nbits_microkernel.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/geometry.h"

#include <array>

namespace nnrt::cpu {
namespace {

enum Input : size_t { kInput, kWeight, kScales, kZeroPoints, kBias };

struct NbitsProblem {
  const KernelArgs& args;
  int64_t rows, columns, inner;

  bool has_bias() const { return args.node.input_count() > kBias; }
};

Result<NbitsProblem> problem_of(const KernelArgs& args) {
  const Shape input = with_dimension(args.node.shape(kInput));
  return NbitsProblem{args, product(input, 0, input.size() - 1), args.node.shape(kWeight)[0], input.back()};
}

// Packed weights, cached if they are constant.
class Panels {
 public:
  explicit Panels(const NbitsProblem& problem)
      : problem_(problem), panels_(weights_of(nullptr), vector_bytes()) {
    prepacked_ =
        problem.args.prepacked_of(kWeight, kZeroPoints, panels_.bytes(), [this](std::byte* to) { pack(to); });
    panels_.memory = prepacked_.data;
  }

  const NbitsPanels& operator*() const { return panels_; }

 private:
  NbitsWeights weights_of(const float* scales) const {
    const KernelArgs& args = problem_.args;
    const int64_t block = args.node.attrs().integer(Attr::block);
    return {args.input<uint8_t>(kWeight),
            scales,
            args.input<uint8_t>(kZeroPoints),
            problem_.columns,
            problem_.inner,
            args.node.attrs().integer(Attr::bits),
            block == 0 ? problem_.inner : std::min(block, problem_.inner)};
  }

  void pack(std::byte* to) const {
    const FloatInput scales(problem_.args, kScales);
    const NbitsWeights weights = weights_of(scales.data());
    problem_.args.pool.parallel_for(panels_.count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel) pack_nbits(panels_, weights, panel, to);
    });
  }

  const NbitsProblem& problem_;
  NbitsPanels panels_;
  PrepackedBytes prepacked_;
};

Status prepack(const NbitsProblem& problem) {
  static_cast<void>(Panels(problem));
  return {};
}

WhyNot why_not_gemv(const NbitsProblem& problem) {
  return problem.rows <= kMaxNbitsRows ? WhyNot() : WhyNot("It computes no {} rows.", problem.rows);
}

Status nbits_gemv(const NbitsProblem& problem) {
  constexpr int64_t kGrain = int64_t{32} * 1024;  // products worth a task
  const Panels packed(problem);
  const NbitsPanels& panels = *packed;
  const FloatInput rows(problem.args, kInput);
  const GemmOutput output(problem.args, problem.has_bias(), problem.columns, kBias);
  const int64_t grain = divide_up(kGrain, problem.inner * panels.width());
  problem.args.pool.parallel_for(panels.count(), grain, [&](int64_t begin, int64_t end) {
    std::array<float, size_t{kMaxNbitsRows} * kMaxFloatColumns> sums;
    for (int64_t panel = begin; panel < end; ++panel) {
      nbits_products(vector_bytes(), panels, panel, rows.data(), problem.inner, int(problem.rows),
                     sums.data());
      output.store_block(Sums<float>{0, panel * panels.width(), problem.rows, panels.columns_of(panel),
                                     sums.data(), panels.width()},
                         0, problem.columns);
    }
  });
  return {};
}

constexpr int64_t kSumRows = 64;  // rows of a panel that stay in L1

// All rows times a dequantized panel.
void multiply_panel(const NbitsProblem& problem, const GemmOutput& output, const NbitsPanels& panels,
                    int64_t panel, const float* rows, const float* values, float* sums) {
  constexpr std::array<float, kMaxFloatColumns> kNoBias{};
  const int64_t columns = panels.columns_of(panel), inner = problem.inner;
  for (int64_t row = 0; row < problem.rows; row += kSumRows) {
    const int64_t count = std::min(kSumRows, problem.rows - row);
    multiply_rows({rows + row * inner, inner, count, inner}, values, columns, kNoBias.data(),
                  {sums, columns, false});
    output.store_block(Sums<float>{row, panel * panels.width(), count, columns, sums, columns}, 0,
                       problem.columns);
  }
}

Status nbits_gemm(const NbitsProblem& problem) {
  const KernelArgs& args = problem.args;
  const Panels packed(problem);
  const NbitsPanels& panels = *packed;
  const FloatInput rows(args, kInput);
  const GemmOutput output(args, problem.has_bias(), problem.columns, kBias);
  const size_t bytes = size_t(panels.width() * (problem.inner + kSumRows)) * sizeof(float);
  args.scratch->reserve(args.pool.threads(), bytes);
  args.pool.parallel_for(panels.count(), 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const values = reinterpret_cast<float*>(args.scratch->of_worker(worker, bytes));
    for (int64_t panel = begin; panel < end; ++panel) {
      dequantize_panel(vector_bytes(), panels, panel, values);
      multiply_panel(problem, output, panels, panel, rows.data(), values,
                     values + panels.width() * problem.inner);
    }
  });
  return {};
}

constexpr Implementation<NbitsProblem> kNbitsMatMuls[] = {
    {"nbits_gemv", why_not_gemv, nbits_gemv, prepack},
    {"nbits_gemm", nullptr, nbits_gemm, prepack},
};

constexpr KernelRow kNbitsMatmulKernels[] = {Choices<kNbitsMatMuls, problem_of>::row(Op::matmul_nbits)};

}  // namespace

std::span<const KernelRow> nbits_matmul_kernels() { return kNbitsMatmulKernels; }

}  // namespace nnrt::cpu
