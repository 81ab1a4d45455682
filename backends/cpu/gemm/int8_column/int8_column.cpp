#include "backends/cpu/gemm/int8_column/int8_column.h"

#include "backends/cpu/gemm/int8_epilogue.h"
#include "backends/cpu/gemm/int8_gemm.h"
#include "backends/cpu/gemm/matrix_rows.h"
#include "core/base/check.h"

#include <algorithm>
#include <cstring>

namespace nnrt::cpu {

#if defined(__x86_64__)

namespace {

constexpr int kRows = 8, kVectorBytes = 64;

struct Column {
  const int8_t* weights;  // padded with zeros to whole vectors
  int64_t inner;
  Int8Epilogue terms;  // the same for each row
};

// The products of up to eight rows. The last row stands in for missing ones.
[[NNRT_TARGET_VNNI]] __m256i products(const int8_t* rows, int count, const Column& column) {
  const __m512i flip = _mm512_set1_epi8(-128);  // makes activations unsigned
  const int8_t* row[kRows];
  __m512i sums[kRows];
  for (int r = 0; r < kRows; ++r) {
    row[r] = rows + std::min(r, count - 1) * column.inner;
    sums[r] = _mm512_setzero_si512();
  }
  const int64_t rest = column.inner % kVectorBytes, whole = column.inner - rest;
  for (int64_t k = 0; k < whole; k += kVectorBytes) {
    const __m512i weights = _mm512_loadu_si512(column.weights + k);
    for (int r = 0; r < kRows; ++r)
      add_dots(sums[r], _mm512_xor_si512(_mm512_loadu_si512(row[r] + k), flip), weights);
  }
  if (rest > 0) {
    const __mmask64 mask = (__mmask64{1} << rest) - 1;
    const __m512i weights = _mm512_loadu_si512(column.weights + whole);
    for (int r = 0; r < kRows; ++r)
      add_dots(sums[r], _mm512_xor_si512(load_masked_bytes(mask, row[r] + whole), flip), weights);
  }
  return sum_lanes(sums);
}

[[NNRT_TARGET_VNNI]] void multiply_rows(const int8_t* rows, int64_t count, const Column& column, int8_t* to) {
  const Int8EpilogueRegisters epilogue = epilogue_registers(column.terms);
  const __m512 scale = _mm512_loadu_ps(column.terms.scale);
  const __m512i offset = _mm512_set1_epi32(column.terms.offset[0]);
  for (int64_t row = 0; row < count; row += kRows) {
    const int some = int(std::min<int64_t>(kRows, count - row));
    const __m512i sums =
        _mm512_add_epi32(_mm512_castsi256_si512(products(rows + row * column.inner, some, column)), offset);
    const __mmask16 mask = first_lanes(some);
    const __m512i quantized = to_quantized(sums, scale, mask, epilogue, column.terms, 0);
    store_masked_bytes_128(to + row, mask, _mm512_cvtepi32_epi8(quantized));
  }
}

}  // namespace

Status int8_column(const MatMulProblem& problem) {
  // Bytes of rows. Threads share rows as soon as they share the cast that may have written them.
  constexpr int64_t kWorthSharing = int64_t{256} * 1024, kPiece = int64_t{16} * 1024;
  const auto& [args, work, has_bias] = problem;
  const GemmProblem gemm = gemm_problem_of(work, has_bias);
  const PrepackedBytes prepacked = int8_weights(args, gemm, args.input<int8_t>(1), Int8Kernel::dot);
  const Int8Group group = int8_group(args, gemm, prepacked, 0, Int8Kernel::dot);
  const int64_t inner = gemm.inner();
  const auto padded = size_t(round_up(inner, kVectorBytes));
  auto* const weights = reinterpret_cast<int8_t*>(args.scratch->of_all(padded));
  std::memset(weights, 0, padded);
  // The column is a lane of its panel.
  for (int64_t step = 0; step < divide_up(inner, kDotDepth); ++step)
    std::memcpy(weights + step * kDotDepth, group.panels + step * kInt32Lanes * kDotDepth, kDotDepth);
  float scales[kInt32Lanes];
  std::fill_n(scales, kInt32Lanes, group.terms.scale[0]);
  Column column{weights, inner, group.terms};
  column.terms.scale = scales;
  const auto* const rows = args.input<int8_t>(0);
  auto* const to = args.output<int8_t>();
  const int64_t bytes = kRows * std::max<int64_t>(inner, 1), blocks = divide_up(gemm.rows, kRows);
  const int64_t grain = divide_up(blocks * bytes < kWorthSharing ? kWorthSharing : kPiece, bytes);
  args.pool.parallel_for(blocks, grain, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kRows, count = std::min(end * kRows, gemm.rows) - first;
    multiply_rows(rows + first * inner, count, column, to + first);
  });
  return {};
}

WhyNot why_not_int8_column(const MatMulProblem& problem) {
  if (const WhyNot why = why_not_int8_dot(problem.args.node)) return why;
  if (problem.work.columns != 1) return {"It supports only one column; there are {}.", problem.work.columns};
  if (problem.work.transpose_a) return "The left operand is transposed.";
  if (!problem.work.batch.empty()) return "It does not support batches.";
  if (problem.args.node.output(0).dtype != DType::i8) return "It does not store INT32 sums.";
  if (!has_symmetric_weights(problem.args.node)) return "Zero points of the weights are not 0.";
  return {};
}

#else

Status int8_column(const MatMulProblem&) {
  NNRT_CHECK(false, "This processor has no AVX-512.");
  return {};
}
WhyNot why_not_int8_column(const MatMulProblem&) { return "The processor has no AVX-512 VNNI."; }

#endif

}  // namespace nnrt::cpu
