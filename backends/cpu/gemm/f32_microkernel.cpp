#include "backends/cpu/gemm/f32_microkernel.h"

#include "backends/cpu/gemm/f32_epilogue.h"
#include "backends/cpu/simd/masked_access.h"
#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/vector_math.h"
#include "core/base/divide_up.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

// Copies fewer floats than a vector has; memory beyond them is not touched.
template <int Bytes>
inline void copy_lanes(const float* from, int64_t count, float* to) {
#pragma GCC unroll 4
  for (int some = Bytes / int(sizeof(float)) / 2; some > 0; some /= 2) {
    if ((count & some) == 0) continue;
    std::memcpy(to, from, size_t(some) * sizeof(float));
    from += some;
    to += some;
  }
}

// Up to `count` floats, at most a vector; memory beyond them is not touched.
template <int Bytes>
inline void load_lanes(const float* from, int64_t count, Vector<Bytes>& to) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  if (count >= kLanes) {
    to = load<Bytes>(from);
    return;
  }
  alignas(Bytes) float lanes[kLanes] = {};
  copy_lanes<Bytes>(from, count, lanes);
  to = load<Bytes>(lanes);
}
template <int Bytes>
inline void store_lanes(const Vector<Bytes>& from, int64_t count, float* to) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  if (count >= kLanes) return store<Bytes>(to, from);
  alignas(Bytes) float lanes[kLanes];
  store<Bytes>(lanes, from);
  copy_lanes<Bytes>(lanes, count, to);
}
#if defined(__x86_64__)
template <>
[[gnu::target("avx512f")]] inline void load_lanes<64>(const float* from, int64_t count, Vector<64>& to) {
  to = __builtin_bit_cast(Vector<64>, _mm512_maskz_loadu_ps(first_lanes(count), from));
}
template <>
[[gnu::target("avx512f")]] inline void store_lanes<64>(const Vector<64>& from, int64_t count, float* to) {
  _mm512_mask_storeu_ps(to, first_lanes(count), __builtin_bit_cast(__m512, from));
}
#endif

// Parts of rows that are multiplied at once: whole taps, or floats of a single one.
struct Span {
  int64_t tap, taps, first, floats;  // floats [first, first + floats) of each tap
  int64_t before;                    // floats of earlier spans
  bool is_last;
};

// A block of rows times a panel. Sums of all spans but the last one wait in the output.
struct Block {
  const float* panel;
  const float* ahead;  // next panel, to prefetch
  int64_t ahead_lines;
  F32Epilogue epilogue;
  int64_t columns;
  float* to;
  int64_t stride;
  Span span;
};

// One vector of a row; lanes beyond the last column are not stored.
template <int Bytes>
[[gnu::always_inline]] inline void store_vector(Vector<Bytes> sum, const Block& block, int row, int column) {
  const F32Epilogue& epilogue = block.epilogue;
  const int64_t at = row * block.stride + column, count = block.columns - column;
  if (block.span.is_last) {
    const auto other = [&]() __attribute__((always_inline)) {
      Vector<Bytes> lanes;
      load_lanes<Bytes>(epilogue.other + at, count, lanes);
      return lanes;
    };
    sum = apply_epilogue<Bytes>(sum, epilogue, load<Bytes>(epilogue.bias + column), other);
  }
  store_lanes<Bytes>(sum, count, block.to + at);
}

// The sums of a row: whole vectors, then a half. Arrays must not be empty.
template <int Bytes, int Vectors, int Halves>
struct RowSums {
  Vector<Bytes> whole[Vectors > 0 ? Vectors : 1] = {};
  Vector<Bytes / 2> half[Halves > 0 ? Halves : 1] = {};
};

// Stores the sums from row `Row` on. Recursive: with a loop, the compiler would spill the sums.
template <int Bytes, int Rows, int Vectors, int Halves, int Row>
[[gnu::always_inline]] inline void store_from(const RowSums<Bytes, Vectors, Halves> (&sums)[Rows],
                                              const Block& block) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  if constexpr (Vectors > 0) store_vector<Bytes>(sums[Row].whole[0], block, Row, 0);
  if constexpr (Vectors > 1) store_vector<Bytes>(sums[Row].whole[1], block, Row, kLanes);
  if constexpr (Halves > 0) store_vector<Bytes / 2>(sums[Row].half[0], block, Row, Vectors * kLanes);
  if constexpr (Row + 1 < Rows) store_from<Bytes, Rows, Vectors, Halves, Row + 1>(sums, block);
}

// The inverse of store_vector() before the last span.
template <int Bytes>
[[gnu::always_inline]] inline Vector<Bytes> stored_vector(const Block& block, int row, int column) {
  Vector<Bytes> lanes;
  load_lanes<Bytes>(block.to + row * block.stride + column, block.columns - column, lanes);
  return lanes;
}
template <int Bytes, int Rows, int Vectors, int Halves, int Row>
[[gnu::always_inline]] inline void load_from(const Block& block,
                                             RowSums<Bytes, Vectors, Halves> (&sums)[Rows]) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  if constexpr (Vectors > 0) sums[Row].whole[0] = stored_vector<Bytes>(block, Row, 0);
  if constexpr (Vectors > 1) sums[Row].whole[1] = stored_vector<Bytes>(block, Row, kLanes);
  if constexpr (Halves > 0) sums[Row].half[0] = stored_vector<Bytes / 2>(block, Row, Vectors * kLanes);
  if constexpr (Row + 1 < Rows) load_from<Bytes, Rows, Vectors, Halves, Row + 1>(block, sums);
}

template <int Bytes, int Rows, int Vectors, int Halves>
[[gnu::always_inline]] inline void multiply_block(const F32Rows& rows, int64_t row, const Block& block) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  const Span& span = block.span;
  const float *panel = block.panel + span.before * (Vectors + Halves) * kLanes, *ahead = block.ahead;
  int64_t ahead_lines = block.ahead_lines;
  const int64_t tap_floats = span.floats;
  RowSums<Bytes, Vectors, Halves> sums[Rows];
  if (span.before > 0) load_from<Bytes, Rows, Vectors, Halves, 0>(block, sums);
  for (int64_t tap = span.tap; tap < span.tap + span.taps; ++tap) {
    const float* part[Rows];
    for (int r = 0; r < Rows; ++r)
      part[r] = (rows.parts == nullptr ? rows.first + (row + r) * rows.step
                                       : rows.parts[row * rows.taps + tap * rows.block_rows + r]) +
                span.first;
    for (int64_t k = 0; k < tap_floats; ++k, panel += (Vectors + Halves) * kLanes) {
      RowSums<Bytes, Vectors, Halves> weight;
      for (int v = 0; v < Vectors; ++v) weight.whole[v] = load<Bytes>(panel + v * kLanes);
      if constexpr (Halves > 0) weight.half[0] = load<Bytes / 2>(panel + Vectors * kLanes);
      for (int r = 0; r < Rows; ++r) {
        for (int v = 0; v < Vectors; ++v)
          sums[r].whole[v] = multiply_add<Bytes>(part[r][k], weight.whole[v], sums[r].whole[v]);
        if constexpr (Halves > 0)
          sums[r].half[0] = multiply_add<Bytes / 2>(part[r][k], weight.half[0], sums[r].half[0]);
      }
      if (ahead_lines > 0) {
        __builtin_prefetch(ahead, 0, 2);
        ahead += 16;
        --ahead_lines;
      }
    }
  }
  const Block own = block;  // a copy that stores of results cannot alias
  store_from<Bytes, Rows, Vectors, Halves, 0>(sums, own);
}

// A block of rows times a panel of one 32-byte vector, two lines of the panel at a time: a column has two
// sums, side by side, one of even and one of odd lines.
// Loops over rows are unrolled by name: the compiler would keep the sums in memory.
template <int Rows>
[[gnu::always_inline]] inline void multiply_line_pairs(const F32Rows& rows, int64_t row, const Block& block) {
  constexpr int kLanes = 8;
  constexpr Ints<64> kEven = {-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0};
  const float* panel = block.panel;
  const int64_t tap_floats = rows.tap_floats;
  Vector<64> sums[Rows];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) sums[r] = Vector<64>{};
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const float* part[Rows];
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) part[r] = rows.parts[row * rows.taps + tap * rows.block_rows + r];
    int64_t k = 0;
    for (; k + 2 <= tap_floats; k += 2, panel += 2 * kLanes) {
      const Vector<64> lines = load<64>(panel);
      const Vector<64> weights =
          __builtin_shufflevector(lines, lines, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        int64_t pair;
        std::memcpy(&pair, part[r] + k, sizeof pair);
        sums[r] = multiply_add<64>(__builtin_bit_cast(Vector<64>, Elements<64, int64_t>{} + pair), weights,
                                   sums[r]);
      }
    }
    if (k == tap_floats) continue;
    const Vector<32> line = load<32>(panel);
    const Vector<64> weights =
        __builtin_shufflevector(line, line, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    panel += kLanes;
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const Vector<64> even = kEven ? Vector<64>{} + part[r][k] : Vector<64>{};
      sums[r] = multiply_add<64>(even, weights, sums[r]);
    }
  }
  const Block own = block;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    const Vector<32> even = __builtin_shufflevector(sums[r], sums[r], 0, 2, 4, 6, 8, 10, 12, 14);
    const Vector<32> odd = __builtin_shufflevector(sums[r], sums[r], 1, 3, 5, 7, 9, 11, 13, 15);
    store_vector<32>(even + odd, own, r, 0);
  }
}

// Stores the sums of one row from vector `At` on; recursive like store_from().
template <int Bytes, int Vectors, int At>
[[gnu::always_inline]] inline void store_row_from(const Vector<Bytes> (&sums)[Vectors], const Block& block) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  store_vector<Bytes>(sums[At], block, 0, At * kLanes);
  if constexpr (At + 1 < Vectors) store_row_from<Bytes, Vectors, At + 1>(sums, block);
}

// One row times `Panels` panels: the two sums of one panel would wait for each other's additions.
template <int Bytes, int Panels>
[[gnu::always_inline]] inline void multiply_row(const F32Rows& rows, int64_t panel_floats,
                                                const Block& block) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  Vector<Bytes> sums[2 * Panels] = {};
  const float* panel = block.panel;
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const float* const part = rows.parts == nullptr ? rows.first : rows.parts[tap * rows.block_rows];
    for (int64_t k = 0; k < rows.tap_floats; ++k, panel += 2 * kLanes)
      for (int v = 0; v < 2 * Panels; ++v)
        sums[v] =
            multiply_add<Bytes>(part[k], load<Bytes>(panel + v / 2 * panel_floats + v % 2 * kLanes), sums[v]);
  }
  const Block own = block;
  store_row_from<Bytes, 2 * Panels, 0>(sums, own);
}

// One function per number of rows and half vectors: compilers generate better code than for a generic one.
using BlockFunction = void (*)(const F32Rows& rows, int64_t row, const Block& block);
template <int Bytes, int Rows, int HalfVectors>
constexpr BlockFunction block_function() {
  // The registers hold kMaxFloatRows rows of a single vector.
  if constexpr (HalfVectors <= 2 || Rows <= f32_block(Bytes).rows) {
    return [](const F32Rows& rows, int64_t row, const Block& block) {
      with_vectors_of<Bytes>([&](auto bytes) __attribute__((always_inline)) {
        multiply_block<bytes, Rows, HalfVectors / 2, HalfVectors % 2>(rows, row, block);
      });
    };
  }
  return nullptr;
}
struct BlockFunctions {
  BlockFunction of[kMaxFloatRows][4];
};
template <int Bytes, int... Rows>
constexpr BlockFunctions block_functions(std::integer_sequence<int, Rows...>) {
  // Processors that compute 64 bytes in two steps skip the second one of a half vector.
  constexpr int kOne = Bytes == 64 ? 1 : 2, kThree = Bytes == 64 ? 3 : 4;
  return {{{block_function<Bytes, Rows + 1, kOne>(), block_function<Bytes, Rows + 1, 2>(),
            block_function<Bytes, Rows + 1, kThree>(), block_function<Bytes, Rows + 1, 4>()}...}};
}
template <int Bytes>
constexpr BlockFunctions kBlockFunctions =
    block_functions<Bytes>(std::make_integer_sequence<int, kMaxFloatRows>{});

const BlockFunctions& functions_for(int vector_bytes) {
  return vector_bytes == 64   ? kBlockFunctions<64>
         : vector_bytes == 32 ? kBlockFunctions<32>
                              : kBlockFunctions<16>;
}

// The inner loop repeats over data that stays in L1: all panels if they are small, so that results are
// written row by row; otherwise one panel.
struct Order {
  int64_t blocks, panels;
  bool rows_first;
};
Order order_of(const F32Rows& rows, int64_t columns, int64_t panel_columns) {
  constexpr int64_t kNearBytes = 24 * 1024;
  const int64_t bytes = columns * rows.taps * rows.tap_floats * int64_t(sizeof(float));
  return {divide_up(rows.count, rows.block_rows), divide_up(columns, panel_columns), bytes <= kNearBytes};
}

Span whole_span(const F32Rows& rows) { return {0, rows.taps, 0, rows.tap_floats, 0, true}; }

// The span after one that ends `before` floats into the rows.
Span next_span(const F32Rows& rows, int64_t before) {
  Span span{before / rows.tap_floats, 1, before % rows.tap_floats, rows.tap_floats, before, false};
  if (rows.tap_floats > kF32SpanFloats) {
    span.floats = std::min(kF32SpanFloats, rows.tap_floats - span.first);
  } else {
    span.taps = std::min(kF32SpanFloats / rows.tap_floats, rows.taps - span.tap);
  }
  span.is_last = before + span.taps * span.floats == rows.taps * rows.tap_floats;
  return span;
}

// Longer rows and panels would not stay in L2 while they are used, by all panels and blocks.
bool has_spans(const F32Rows& rows, const Order& order, int64_t columns, const F32Epilogue& epilogue,
               const float* to, int64_t stride) {
  if (rows.taps * rows.tap_floats < kF32SpanFloats * 3 / 2 || order.blocks == 1 || order.rows_first)
    return false;
  const int64_t floats = (rows.count - 1) * stride + columns;
  return epilogue.other == nullptr || epilogue.other + floats <= to || to + floats <= epilogue.other;
}

// Multiplies the only row with as many panels as are a multiple of `Panels`; returns the number of columns.
template <int Panels>
int64_t multiply_row_panels(int vector_bytes, const F32Rows& rows, const float* panels, int64_t columns,
                            const F32Epilogue& epilogue, float* to) {
  const int64_t width = Panels * f32_block(vector_bytes).columns, end = columns / width * width;
  const int64_t panel_floats = rows.taps * rows.tap_floats * f32_block(vector_bytes).columns;
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        Block block{panels, nullptr, 0, epilogue, width, to, 0, whole_span(rows)};
        for (int64_t column = 0; column < end; column += width, block.to += width) {
          multiply_row<bytes, Panels>(rows, panel_floats, block);
          block.panel += Panels * panel_floats;
          block.epilogue.bias += width;
          if (block.epilogue.other != nullptr) block.epilogue.other += width;
        }
      });
  return end;
}

// The functions for the rows of a block if its panel is one vector, half as long as the machine's, or null.
// Rows of matrices, which have no parts, are summed in the order of half_products().
const BlockFunction* line_pair_functions([[maybe_unused]] const F32Block& size,
                                         [[maybe_unused]] const F32Rows& rows,
                                         [[maybe_unused]] int64_t columns,
                                         [[maybe_unused]] const Span& span) {
#if defined(__x86_64__)
  constexpr int64_t kMinFloats = 16;  // adding the two sums of each column takes as long as some ten lines
  static constexpr auto kFunctions = []<int... Rows>(std::integer_sequence<int, Rows...>) {
    return std::array<BlockFunction, sizeof...(Rows)>{
        [](const F32Rows& block_rows, int64_t row, const Block& block) {
          with_vectors_of<64>([&](auto) __attribute__((always_inline)) {
            multiply_line_pairs<Rows + 1>(block_rows, row, block);
          });
        }...};
  }
  (std::make_integer_sequence<int, kMaxFloatRows>{});
  constexpr int kLanes = 8, kLong = 64;
  const bool is_suited =
      rows.parts != nullptr && span.before == 0 && span.is_last && span.taps * span.floats >= kMinFloats;
  if (is_suited && columns <= kLanes && size.lanes == kLanes && vector_bytes() == kLong)
    return kFunctions.data();
#endif
  return nullptr;
}

// All blocks and panels.
void multiply_span(int vector_bytes, const F32Rows& rows, const float* panels, int64_t columns,
                   const F32Epilogue& epilogue, float* to, int64_t stride, const Order& order,
                   const Span& span) {
  const F32Block size = f32_block(vector_bytes);
  const BlockFunctions& functions = functions_for(vector_bytes);
  const BlockFunction* const pairs = line_pair_functions(size, rows, columns, span);
  const int64_t panel_floats = rows.taps * rows.tap_floats * size.columns;
  const int64_t span_floats = span.taps * span.floats * size.columns;
  const int64_t ahead = order.rows_first ? 0 : (span_floats / 16 + order.blocks - 1) / order.blocks;
  const auto multiply = [&](int64_t b, int64_t p) __attribute__((always_inline)) {
    const int64_t row = b * rows.block_rows, column = p * size.columns;
    const int64_t at = row * stride + column;
    Block block{panels + p * panel_floats,
                panels + (p + 1) * panel_floats + span.before * size.columns + b * ahead * 16,
                p + 1 < order.panels ? ahead : 0,
                epilogue,
                columns - column,
                to + at,
                stride,
                span};
    block.epilogue.bias += column;
    if (epilogue.other != nullptr) block.epilogue.other += at;
    const int64_t count = std::min(rows.block_rows, rows.count - row);
    const int64_t halves = (std::min<int64_t>(block.columns, size.columns) * 2 - 1) / size.lanes;
    const BlockFunction function = pairs != nullptr ? pairs[count - 1] : functions.of[count - 1][halves];
    function(rows, row, block);
  };
  if (order.rows_first) {
    for (int64_t b = 0; b < order.blocks; ++b)
      for (int64_t p = 0; p < order.panels; ++p) multiply(b, p);
  } else {
    for (int64_t p = 0; p < order.panels; ++p)
      for (int64_t b = 0; b < order.blocks; ++b) multiply(b, p);
  }
}

}  // namespace

void multiply_f32(int vector_bytes, const F32Rows& rows, const float* panels, int64_t columns,
                  const F32Epilogue& epilogue, float* to, int64_t stride) {
  const F32Block size = f32_block(vector_bytes);
  const int64_t panel_floats = rows.taps * rows.tap_floats * size.columns;
  if (rows.count == 1 && columns >= 2 * size.columns) {
    const auto multiply = columns >= 4 * size.columns ? multiply_row_panels<4> : multiply_row_panels<2>;
    const int64_t done = multiply(vector_bytes, rows, panels, columns, epilogue, to);
    F32Epilogue rest = epilogue;
    rest.bias += done;
    if (rest.other != nullptr) rest.other += done;
    if (done < columns)
      multiply_f32(vector_bytes, rows, panels + done / size.columns * panel_floats, columns - done, rest,
                   to + done, stride);
    return;
  }
  const Order order = order_of(rows, columns, size.columns);
  if (!has_spans(rows, order, columns, epilogue, to, stride))
    return multiply_span(vector_bytes, rows, panels, columns, epilogue, to, stride, order, whole_span(rows));
  for (int64_t before = 0; before < rows.taps * rows.tap_floats;) {
    const Span span = next_span(rows, before);
    multiply_span(vector_bytes, rows, panels, columns, epilogue, to, stride, order, span);
    before += span.taps * span.floats;
  }
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
