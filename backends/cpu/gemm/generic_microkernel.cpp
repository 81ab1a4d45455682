#include "backends/cpu/gemm/generic_microkernel.h"

#include "backends/cpu/simd/vector_math.h"

#include <algorithm>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

// Where line k of a right operand begins.
template <int Columns>
[[gnu::always_inline]] inline const float* line_of(const float* panel, int64_t k) {
  return panel + k * Columns;
}
template <int Columns>
[[gnu::always_inline]] inline const float* line_of(const ShiftedLines& lines, int64_t k) {
  return lines.data + lines.offsets[k];
}

template <int Bytes, int Rows, typename Right>
[[gnu::always_inline]] inline void sum_block(const float* left, int64_t stride, const Right& right,
                                             int64_t inner, float* sums) {
  using V = Vector<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  V low[Rows] = {}, high[Rows] = {};
  for (int64_t k = 0; k < inner; ++k) {
    const float* const line = line_of<2 * kLanes>(right, k);
    const V panel_low = load<Bytes>(line);
    const V panel_high = load<Bytes>(line + kLanes);
    for (int r = 0; r < Rows; ++r) {
      const float x = left[r * stride + k];
      low[r] = multiply_add<Bytes>(x, panel_low, low[r]);
      high[r] = multiply_add<Bytes>(x, panel_high, high[r]);
    }
  }
  for (int r = 0; r < Rows; ++r, sums += 2 * kLanes) {
    store<Bytes>(sums, low[r]);
    store<Bytes>(sums + kLanes, high[r]);
  }
}

// Dispatches to the instantiation for `rows`, at most `Rows`.
template <int Bytes, int Rows, typename Right>
[[gnu::always_inline]] inline void sum_rows(int rows, const float* left, int64_t stride, const Right& right,
                                            int64_t inner, float* sums) {
  if (rows == Rows) return sum_block<Bytes, Rows>(left, stride, right, inner, sums);
  if constexpr (Rows > 1) sum_rows<Bytes, Rows - 1>(rows, left, stride, right, inner, sums);
}

template <int Bytes>
[[gnu::always_inline]] inline float sum_row_products(const float* a, const float* b, int64_t inner) {
  using V = Vector<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  constexpr int kSums = 4;  // independent accumulators hide the latency of additions
  V sums[kSums] = {};
  int64_t k = 0;
  for (; k + kSums * kLanes <= inner; k += kSums * kLanes) {
    for (int i = 0; i < kSums; ++i) {
      const int64_t at = k + i * kLanes;
      sums[i] = multiply_add<Bytes>(load<Bytes>(a + at), load<Bytes>(b + at), sums[i]);
    }
  }
  for (; k + kLanes <= inner; k += kLanes)
    sums[0] = multiply_add<Bytes>(load<Bytes>(a + k), load<Bytes>(b + k), sums[0]);
  float sum = sum_of_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
  for (; k < inner; ++k) sum += a[k] * b[k];
  return sum;
}

// Adds the products with `Lines` consecutive lines to a vector of sums of each of `Rows` rows.
template <int Bytes, int Lines, int Rows>
[[gnu::always_inline]] inline void add_lines(const Vector<Bytes> (&x)[Rows][Lines], const float* lines,
                                             int64_t stride, float* sums, int64_t sum_stride) {
  Vector<Bytes> line[Lines];
  for (int i = 0; i < Lines; ++i) line[i] = load<Bytes>(lines + i * stride);
  for (int r = 0; r < Rows; ++r) {
    Vector<Bytes> even = load<Bytes>(sums + r * sum_stride), odd{};
    for (int i = 0; i < Lines; i += 2) {
      even = multiply_add<Bytes>(x[r][i], line[i], even);
      if (i + 1 < Lines) odd = multiply_add<Bytes>(x[r][i + 1], line[i + 1], odd);
    }
    store<Bytes>(sums + r * sum_stride, even + odd);
  }
}

// `rows` point at element k of the first row. Shorter vectors, down to single floats, cover the rest.
template <int Bytes, int Lines, int Rows>
[[gnu::always_inline]] inline void add_columns(const float* rows, int64_t row_stride, const float* lines,
                                               int64_t stride, int64_t count, float* sums,
                                               int64_t sum_stride) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  int64_t c = 0;
  if (count >= kLanes) {
    Vector<Bytes> x[Rows][Lines];
    for (int r = 0; r < Rows; ++r)
      for (int i = 0; i < Lines; ++i) x[r][i] = Vector<Bytes>{} + rows[r * row_stride + i];
    for (; c + kLanes <= count; c += kLanes)
      add_lines<Bytes, Lines, Rows>(x, lines + c, stride, sums + c, sum_stride);
  }
  if constexpr (kLanes > 1) {
    constexpr int kShorter = Bytes > 16 ? Bytes / 2 : int(sizeof(float));
    if (c < count)
      add_columns<kShorter, Lines, Rows>(rows, row_stride, lines + c, stride, count - c, sums + c,
                                         sum_stride);
  }
}

// The first `Rows` of the rows, fewer if there are not as many; returns their number.
template <int Bytes, int Lines, int Rows>
[[gnu::always_inline]] inline int64_t add_some_rows(const NarrowRows& rows, const float* lines,
                                                    int64_t stride, int64_t count, float* sums,
                                                    int64_t sum_stride) {
  if constexpr (Rows > 1) {
    if (rows.count < Rows)
      return add_some_rows<Bytes, Lines, Rows - 1>(rows, lines, stride, count, sums, sum_stride);
  }
  add_columns<Bytes, Lines, Rows>(rows.data, rows.inner, lines, stride, count, sums, sum_stride);
  return Rows;
}

// Columns are added in pieces whose lines stay in L1 for the next pass. With AVX-512, up to four rows share a
// pass, although only half of their broadcast elements fit in registers: no memory is read during a second
// pass over lines in L1.
template <int Bytes, int Lines>
[[gnu::always_inline]] inline void add_all_columns(const NarrowRows& rows, int64_t k, const float* lines,
                                                   int64_t stride, int64_t count, float* sums,
                                                   int64_t sum_stride) {
  constexpr int kRows = Bytes == 64 ? 4 : vector_registers(Bytes) == 32 ? 2 : 1;
  const int64_t piece = rows.count > kRows ? 512 : count;
  for (int64_t c = 0; c < count; c += piece) {
    const int64_t some = std::min(piece, count - c);
    for (int64_t r = 0; r < rows.count;) {
      const NarrowRows left{rows.data + r * rows.inner + k, rows.count - r, rows.inner};
      r += add_some_rows<Bytes, Lines, kRows>(left, lines + c, stride, some, sums + r * sum_stride + c,
                                              sum_stride);
    }
  }
}

}  // namespace

void line_products(int vector_bytes, const NarrowRows& rows, const float* lines, int64_t stride,
                   int64_t count, float* sums, int64_t sum_stride) {
  constexpr int kLines = 8;
  for (int64_t r = 0; r < rows.count; ++r) std::fill_n(sums + r * sum_stride, count, 0.0f);
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        int64_t k = 0;
        for (; k + kLines <= rows.inner; k += kLines)
          add_all_columns<bytes, kLines>(rows, k, lines + k * stride, stride, count, sums, sum_stride);
        for (; k < rows.inner; ++k)
          add_all_columns<bytes, 1>(rows, k, lines + k * stride, stride, count, sums, sum_stride);
      });
}

void block_sums(int vector_bytes, int rows, const float* left, int64_t stride, const float* panel,
                int64_t inner, float* sums) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        sum_rows<bytes, block_size(bytes).rows>(rows, left, stride, panel, inner, sums);
      });
}

void block_sums(int vector_bytes, int rows, const float* left, int64_t stride, const ShiftedLines& lines,
                int64_t inner, float* sums) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        sum_rows<bytes, block_size(bytes).rows>(rows, left, stride, lines, inner, sums);
      });
}

void inner_products(int vector_bytes, const float* a, const float* b, int64_t inner, int64_t count,
                    float* sums) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        for (int64_t i = 0; i < count; ++i) sums[i] = sum_row_products<bytes>(a, b + i * inner, inner);
      });
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
