// MATMUL_NBITS: the weights stay quantized in memory.
#include "backends/cpu/base/element.h"
#include "backends/cpu/base/implementation_list.h"
#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/gemm/gemm_output.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "backends/cpu/gemm/nbits/nbits_int8.h"
#include "backends/cpu/gemm/nbits/nbits_microkernel.h"
#include "backends/cpu/simd/simd.h"
#include "core/schema/geometry.h"

#include <array>
#include <cstring>
#include <optional>

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

// Packed weights, cached if they are constant: a header and the panels.
class Panels {
 public:
  explicit Panels(const NbitsProblem& problem)
      : problem_(problem), panels_(weights_of(nullptr), form(), vector_bytes()) {
    const size_t bytes = sizeof(Header) + panels_.bytes();
    prepacked_ = problem.args.prepacked_of(kWeight, kZeroPoints, bytes, [this](std::byte* to) { pack(to); });
    panels_.memory = prepacked_.data + sizeof(Header);
  }

  const NbitsPanels& operator*() const { return panels_; }

 private:
  // Precedes the panels, so that a cache file tells their form.
  struct alignas(kMemoryAlignment) Header {
    static constexpr uint64_t kMagic = 0x317374696269626e;
    uint64_t magic;
    uint8_t half_scales, centered;
  };

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

  // Examines constants only once: they may be freed after packing.
  NbitsForm form() const {
    const KernelArgs& args = problem_.args;
    const auto find = [&] {
      const NbitsForm found = nbits_form_of(weights_of(FloatInput(args, kScales).data()));
      return uint8_t((found.half_scales ? 1 : 0) | (found.centered ? 2 : 0));
    };
    const auto recall = [&] {
      const std::optional<ByteView> restored = args.prepacked->restored();
      if (!restored) return find();
      Header header{};
      if (restored->size() >= sizeof header) std::memcpy(&header, restored->data(), sizeof header);
      return uint8_t((header.half_scales != 0 ? 1 : 0) | (header.centered != 0 ? 2 : 0));
    };
    const bool is_kept = args.prepacked != nullptr && args.are_constant(kWeight, kZeroPoints);
    const uint8_t found = is_kept ? args.prepacked->fact(recall) : find();
    return {(found & 1) != 0, (found & 2) != 0};
  }

  void pack(std::byte* to) const {
    const Header header{Header::kMagic, panels_.form.half_scales, panels_.form.centered};
    std::memset(to, 0, sizeof header);
    std::memcpy(to, &header, sizeof header);
    const FloatInput scales(problem_.args, kScales);
    const NbitsWeights weights = weights_of(scales.data());
    problem_.args.pool.parallel_for(panels_.count(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t panel = begin; panel < end; ++panel)
        pack_nbits(panels_, weights, panel, to + sizeof(Header));
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
  return problem.rows <= kMaxNbitsRows ? WhyNot() : WhyNot("It does not support {} rows.", problem.rows);
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
      nbits_products(vector_bytes(), panels, panel, {rows.data(), problem.inner, int(problem.rows)},
                     sums.data());
      output.store_block(Sums<float>{0, panel * panels.width(), problem.rows, panels.columns_of(panel),
                                     sums.data(), panels.width()},
                         0, problem.columns);
    }
  });
  return {};
}

WhyNot why_not_int8(const NbitsProblem& problem) {
  constexpr int64_t kMaxBlock = 1024;  // values that share a scale
  const Attrs& attrs = problem.args.node.attrs();
  const int64_t block = attrs.integer(Attr::block);
  if (!attrs.is_set(Attr::approximate)) return "The operation does not permit quantizing its input.";
  if (!nbits_int8_supported(vector_bytes(), attrs.integer(Attr::bits)))
    return WhyNot("The processor has no instructions for {} bits.", attrs.integer(Attr::bits));
  if (const int64_t size = block == 0 ? problem.inner : std::min(block, problem.inner); size > kMaxBlock)
    return WhyNot("It does not support blocks of {}.", size);
  return {};
}

Status nbits_int8(const NbitsProblem& problem) {
  constexpr int64_t kGrain = int64_t{128} * 1024;  // products worth a task
  const KernelArgs& args = problem.args;
  const Panels packed(problem);
  const NbitsPanels& panels = *packed;
  const FloatInput floats(args, kInput);
  const GemmOutput output(args, problem.has_bias(), problem.columns, kBias);
  Int8Quantized rows(problem.rows, problem.inner, panels.block, panels.bits);
  rows.place(args.scratch->of_all(rows.bytes()));
  args.pool.parallel_for(problem.rows, divide_up(kGrain / 8, problem.inner),
                         [&](int64_t begin, int64_t end) { rows.quantize(floats.data(), begin, end); });
  const int64_t grain = divide_up(kGrain, problem.rows * problem.inner * panels.width());
  args.pool.parallel_for(panels.count(), grain, [&](int64_t begin, int64_t end) {
    std::array<float, size_t{kMaxNbitsInt8Rows} * kMaxFloatColumns> sums;
    for (int64_t panel = begin; panel < end; ++panel) {
      for (int64_t row = 0; row < problem.rows; row += kMaxNbitsInt8Rows) {
        const int64_t count = std::min<int64_t>(kMaxNbitsInt8Rows, problem.rows - row);
        nbits_int8_products(vector_bytes(), panels, panel, rows, row, int(count), sums.data());
        output.store_block(Sums<float>{row, panel * panels.width(), count, panels.columns_of(panel),
                                       sums.data(), panels.width()},
                           0, problem.columns);
      }
    }
  });
  return {};
}

constexpr int64_t kSumRows = 256;     // rows that share a dequantized part of a panel
constexpr int64_t kPartFloats = 512;  // of each column: the part stays in a core's cache

int64_t part_blocks(const NbitsPanels& panels) {
  return std::clamp<int64_t>(kPartFloats / panels.block, 1, panels.blocks());
}

// All rows times a panel, which is dequantized part by part. `memory` has room for a part and for sums.
void multiply_panel(const NbitsProblem& problem, const GemmOutput& output, const NbitsPanels& panels,
                    int64_t panel, const float* rows, float* memory) {
  constexpr std::array<float, kMaxFloatColumns> kNoBias{};
  const int64_t columns = panels.columns_of(panel), inner = problem.inner, blocks = part_blocks(panels);
  float* const sums = memory + panels.width() * blocks * panels.block;
  for (int64_t row = 0; row < problem.rows; row += kSumRows) {
    const int64_t count = std::min(kSumRows, problem.rows - row);
    for (int64_t first = 0; first < panels.blocks(); first += blocks) {
      const int64_t last = std::min(first + blocks, panels.blocks()), begin = first * panels.block;
      const int64_t length = std::min(last * panels.block, inner) - begin;
      dequantize_blocks(vector_bytes(), panels, panel, first, last, memory);
      multiply_rows({rows + row * inner + begin, inner, count, length}, memory, columns, kNoBias.data(),
                    {sums, columns, first > 0});
    }
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
  const int64_t part = part_blocks(panels) * panels.block;
  const size_t bytes = size_t(panels.width() * (part + std::min(kSumRows, problem.rows))) * sizeof(float);
  args.scratch->reserve(args.pool.threads(), bytes);
  args.pool.parallel_for(panels.count(), 1, [&](int64_t begin, int64_t end, unsigned worker) {
    auto* const memory = reinterpret_cast<float*>(args.scratch->of_worker(worker, bytes));
    for (int64_t panel = begin; panel < end; ++panel)
      multiply_panel(problem, output, panels, panel, rows.data(), memory);
  });
  return {};
}

constexpr Implementation<NbitsProblem> kNbitsMatMuls[] = {
    {"nbits_int8", why_not_int8, nbits_int8, prepack},
    {"nbits_gemv", why_not_gemv, nbits_gemv, prepack},
    {"nbits_gemm", nullptr, nbits_gemm, prepack},
};

constexpr KernelRow kNbitsMatmulKernels[] = {Choices<kNbitsMatMuls, problem_of>::row(Op::matmul_nbits)};

}  // namespace

std::span<const KernelRow> nbits_matmul_kernels() { return kNbitsMatmulKernels; }

}  // namespace nnrt::cpu
