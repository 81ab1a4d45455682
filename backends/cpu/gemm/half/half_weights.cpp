#include "backends/cpu/gemm/half/half_weights.h"

#include "backends/cpu/gemm/half/half_microkernel.h"
#include "backends/cpu/gemm/matrix_rows.h"
#include "backends/cpu/simd/panels.h"

#include <atomic>
#include <cstring>
#include <vector>

namespace nnrt::cpu {
namespace {

// Precedes the panels, so that a cache file tells their form.
struct Header {
  static constexpr uint64_t kMagic = 0x31667475706c6168;
  uint64_t magic = kMagic;
  HalfForm form = HalfForm::none;
};
constexpr int64_t kHeaderBytes = 64;

int64_t panel_columns() { return f32_block(vector_bytes()).columns; }

int64_t padded_columns(const GemmProblem& gemm) {
  const int64_t lanes = f32_block(vector_bytes()).lanes;
  return round_up(gemm.columns, lanes);
}

int64_t bias_offset(const GemmProblem& gemm) {
  return divide_up(kHeaderBytes + padded_columns(gemm) * gemm.inner() * int64_t(sizeof(uint16_t)),
                   kHeaderBytes) *
         kHeaderBytes;
}

// Packs one panel.
class Packer {
 public:
  Packer(const MatMulProblem& problem, const GemmProblem& gemm, HalfForm form, uint16_t* to)
      : problem_(problem), gemm_(gemm), form_(form), to_(to) {}

  void pack(int64_t panel) {
    const int64_t first = panel * panel_columns(), count = std::min(panel_columns(), gemm_.columns - first);
    const int64_t lanes = std::min(padded_columns(gemm_) - first, panel_columns());
    uint16_t* const to = to_ + first * gemm_.inner();
    if (problem_.dtype() == DType::f16) return pack_halves(first, count, lanes, to);
    const auto* const weights = problem_.args.input<float>(1);
    if (gemm_.columns_first) {
      values_.resize(size_t(lanes * gemm_.inner()));
      const PanelSource source{weights + first * gemm_.inner(), count, gemm_.inner()};
      pack_columns(vector_bytes(), source, 0, 1, values_.data());
      return narrow_to_half(vector_bytes(), form_ == HalfForm::bf16, values_.data(), lanes * gemm_.inner(),
                            to);
    }
    for (int64_t k = 0; k < gemm_.inner(); ++k) {
      uint16_t* const line = to + k * lanes;
      narrow_to_half(vector_bytes(), form_ == HalfForm::bf16, weights + k * gemm_.columns + first, count,
                     line);
      std::fill(line + count, line + lanes, uint16_t{0});
    }
  }

 private:
  void pack_halves(int64_t first, int64_t count, int64_t lanes, uint16_t* to) const {
    const auto* const weights = problem_.args.input<uint16_t>(1);
    const int64_t column_step = gemm_.columns_first ? gemm_.inner() : 1;
    const int64_t k_step = gemm_.columns_first ? 1 : gemm_.columns;
    for (int64_t k = 0; k < gemm_.inner(); ++k)
      for (int64_t c = 0; c < lanes; ++c)
        to[k * lanes + c] = c < count ? weights[(first + c) * column_step + k * k_step] : uint16_t{0};
  }

  const MatMulProblem& problem_;
  const GemmProblem& gemm_;
  HalfForm form_;
  uint16_t* to_;
  std::vector<float> values_;
};

}  // namespace

HalfForm half_form_of(const float* weights, int64_t count, bool may_round, ThreadPool& pool) {
  constexpr int64_t kPiece = 4096;
  std::atomic<uint32_t> forms = may_round ? kAllHalfForms : kAllHalfForms & ~kRoundedHalf;
  pool.parallel_for(divide_up(count, kPiece), 8, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end && forms.load(std::memory_order_relaxed) != 0; ++piece) {
      const int64_t first = piece * kPiece;
      forms.fetch_and(half_forms_of(vector_bytes(), weights + first, std::min(kPiece, count - first)),
                      std::memory_order_relaxed);
    }
  });
  const uint32_t found = forms.load();
  return (found & kExactHalf) != 0     ? HalfForm::fp16
         : (found & kExactBfloat) != 0 ? HalfForm::bf16
         : (found & kRoundedHalf) != 0 ? HalfForm::fp16
                                       : HalfForm::none;
}

HalfForm half_form_of(const MatMulProblem& problem) {
  if (problem.dtype() == DType::f16) return HalfForm::fp16;
  const KernelArgs& args = problem.args;
  const auto find = [&] {
    const SharedBytes& weights = args.node.input(1).data;
    if (weights && weights->empty()) return uint8_t(HalfForm::unknown);
    const int64_t count = problem.work.inner * problem.work.columns;
    return uint8_t(half_form_of(args.input<float>(1), count, args.may_round, args.pool));
  };
  if (args.prepacked == nullptr) return HalfForm(find());
  return HalfForm(args.prepacked->fact([&] {
    const std::optional<ByteView> restored = args.prepacked->restored();
    if (!restored) return find();
    Header header;
    if (!HalfWeights::is_layout(*restored)) return uint8_t(HalfForm::none);
    std::memcpy(&header, restored->data(), sizeof header);
    return uint8_t(header.form);
  }));
}

bool HalfWeights::is_layout(ByteView bytes) {
  Header header;
  if (bytes.size() < size_t(kHeaderBytes)) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.magic == Header::kMagic && (header.form == HalfForm::fp16 || header.form == HalfForm::bf16);
}

HalfWeights::HalfWeights(const MatMulProblem& problem)
    : gemm_(gemm_problem_of(problem.work, problem.has_bias)) {
  const auto bytes = size_t(bias_offset(gemm_)) + size_t(padded_columns(gemm_)) * sizeof(float);
  prepacked_ = problem.args.prepacked_from(1, bytes, [&](std::byte* to) {
    const Header header{Header::kMagic, half_form_of(problem)};
    std::memset(to, 0, size_t(kHeaderBytes));
    std::memcpy(to, &header, sizeof header);
    auto* const values = reinterpret_cast<uint16_t*>(to + kHeaderBytes);
    constexpr int64_t kGrain = 1 << 15;  // values worth a task
    problem.args.pool.parallel_for(panels(), 1 + kGrain / (gemm_.inner() * panel_columns()),
                                   [&](int64_t begin, int64_t end) {
                                     Packer packer(problem, gemm_, header.form, values);
                                     for (int64_t panel = begin; panel < end; ++panel) packer.pack(panel);
                                   });
    auto* const bias = reinterpret_cast<float*>(to + bias_offset(gemm_));
    std::fill_n(bias, padded_columns(gemm_), 0.0f);
    if (!gemm_.has_bias) return;
    const FloatInput from(problem.args, 2);
    std::copy_n(from.data(), gemm_.columns, bias);
  });
}

bool HalfWeights::is_bfloat() const { return prepacked_.as<Header>()->form == HalfForm::bf16; }

const float* HalfWeights::bias() const {
  return reinterpret_cast<const float*>(prepacked_.data + bias_offset(gemm_));
}

const uint16_t* HalfWeights::panel(int64_t index) const {
  return reinterpret_cast<const uint16_t*>(prepacked_.data + kHeaderBytes) +
         index * panel_columns() * gemm_.inner();
}

int64_t HalfWeights::panels() const { return divide_up(gemm_.columns, panel_columns()); }

int64_t HalfWeights::columns_of(int64_t panel) const {
  return std::min(panel_columns(), gemm_.columns - panel * panel_columns());
}

}  // namespace nnrt::cpu
