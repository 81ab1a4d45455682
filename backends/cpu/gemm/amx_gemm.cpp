#include "backends/cpu/gemm/amx_gemm.h"

#include "backends/cpu/gemm/int8_epilogue.h"
#include "backends/cpu/simd/simd.h"
#include "core/base/check.h"

#include <algorithm>
#include <cstring>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

constexpr int64_t kGroupBytes = 64;  // bytes of a row in one tile register
constexpr int64_t kGroupSteps = kGroupBytes / kDotDepth;

int64_t row_steps(int64_t taps, int64_t tap_values) {
  return taps * ((tap_values + kDotDepth - 1) / kDotDepth);
}
int64_t groups_of(int64_t steps) { return (steps + kGroupSteps - 1) / kGroupSteps; }

}  // namespace

int64_t packed_row_bytes(int64_t taps, int64_t tap_values) {
  return (groups_of(row_steps(taps, tap_values)) | 1) * kGroupBytes;
}

#if defined(__x86_64__)
namespace {

#define NNRT_TARGET_AMX \
  gnu::target("amx-tile,amx-int8,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c")

// LDTILECFG operand.
struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// The compiler doesn't know that the tile instructions read memory.
[[gnu::always_inline]] inline void compiler_fence() { asm volatile("" ::: "memory"); }

// Tile registers (their names must be literals): 0 to 3 hold 2x2 accumulators, 4 and 5 rows, 6 and 7 weights.
[[NNRT_TARGET_AMX, gnu::always_inline]] inline void load_shapes(int rows, int steps) {
  TileShapes shapes;
  const int low = std::min(rows, kTileRows), high = rows - low;
  const auto set = [&](int number, int count, int bytes) {
    shapes.rows[number] = uint8_t(count);
    shapes.row_bytes[number] = uint16_t(bytes);
  };
  for (int v = 0; v < 2; ++v) {
    set(v, low, kInt32Lanes * int(sizeof(int32_t)));
    // A tile with no rows is invalid.
    set(2 + v, std::max(high, 1), kInt32Lanes * int(sizeof(int32_t)));
    set(6 + v, steps, kInt32Lanes * kDotDepth);
  }
  set(4, low, steps * kDotDepth);
  set(5, std::max(high, 1), steps * kDotDepth);
  compiler_fence();
  _tile_loadconfig(&shapes);
}

// One block: the accumulators start at the `offset` of each column and end up in sums[row][Vectors *
// kInt32Lanes].
template <int RowTiles, int Vectors>
[[NNRT_TARGET_AMX]] void sum_block(const uint8_t* rows, int64_t row_bytes, const uint8_t* panel,
                                   int64_t steps, const int32_t* offset, int32_t* sums) {
  constexpr int64_t kStepBytes = Vectors * kInt32Lanes * kDotDepth;
  compiler_fence();
  _tile_loadd(0, offset, 0);
  if constexpr (Vectors > 1) _tile_loadd(1, offset + kInt32Lanes, 0);
  if constexpr (RowTiles > 1) _tile_loadd(2, offset, 0);
  if constexpr (RowTiles > 1 && Vectors > 1) _tile_loadd(3, offset + kInt32Lanes, 0);
  const uint8_t* const low = rows + kTileRows * row_bytes;
  const int64_t groups = groups_of(steps);
  for (int64_t group = 0; group < groups; ++group) {
    // The last group overlaps the previous one; pack_rows() zeroed the steps already summed.
    const int64_t step = std::max<int64_t>(std::min(group * kGroupSteps, steps - kGroupSteps), 0);
    const uint8_t* const weights = panel + step * kStepBytes;
    _tile_loadd(4, rows + group * kGroupBytes, row_bytes);
    _tile_loadd(6, weights, kStepBytes);
    _tile_dpbsud(0, 4, 6);
    if constexpr (RowTiles > 1) {
      _tile_loadd(5, low + group * kGroupBytes, row_bytes);
      _tile_dpbsud(2, 5, 6);
    }
    if constexpr (Vectors > 1) {
      _tile_loadd(7, weights + kInt32Lanes * kDotDepth, kStepBytes);
      _tile_dpbsud(1, 4, 7);
      if constexpr (RowTiles > 1) _tile_dpbsud(3, 5, 7);
    }
  }
  constexpr int64_t kLineBytes = Vectors * kInt32Lanes * int64_t(sizeof(int32_t));
  int32_t* const low_sums = sums + kTileRows * Vectors * kInt32Lanes;
  _tile_stored(0, sums, kLineBytes);
  if constexpr (Vectors > 1) _tile_stored(1, sums + kInt32Lanes, kLineBytes);
  if constexpr (RowTiles > 1) _tile_stored(2, low_sums, kLineBytes);
  if constexpr (RowTiles > 1 && Vectors > 1) _tile_stored(3, low_sums + kInt32Lanes, kLineBytes);
}

// Scales and offsets of a panel's columns.
struct PanelTerms {
  alignas(64) int32_t offset[kInt8PanelColumns];
  __m512 scale[2];
  __mmask16 mask[2];
};

template <int Vectors>
[[NNRT_TARGET_AMX]] void multiply_panel(const AmxGemmWork& work, const uint8_t* panel, int64_t channel,
                                        int64_t columns, int8_t* to, const Int8Epilogue& terms) {
  PanelTerms own;
  for (int v = 0; v < Vectors; ++v) {
    const int64_t first = channel + v * kInt32Lanes;
    own.mask[v] = first_lanes(columns - v * kInt32Lanes);
    own.scale[v] = load_masked_floats(own.mask[v], terms.scale + first);
    _mm512_store_si512(own.offset + v * kInt32Lanes, load_masked_ints(own.mask[v], terms.offset + first));
  }
  const Int8EpilogueRegisters epilogue = epilogue_registers(terms);
  const int32_t weight_zero = terms.weight_zero[channel];
  const int64_t row_bytes = packed_row_bytes(work.taps, work.tap_values);
  const int64_t steps = row_steps(work.taps, work.tap_values);
  alignas(64) int32_t sums[kAmxBlockRows][Vectors * kInt32Lanes];
  for (int64_t row = 0; row < work.count; row += work.block_rows) {
    const auto sum = work.block_rows > kTileRows ? sum_block<2, Vectors> : sum_block<1, Vectors>;
    sum(work.rows + row * row_bytes, row_bytes, panel, steps, own.offset, sums[0]);
    const int64_t count = std::min(work.block_rows, work.count - row);
    for (int64_t r = 0; r < count; ++r) {
      const __m512i less = _mm512_set1_epi32(int32_t(uint32_t(weight_zero) * uint32_t(work.sums[row + r])));
      for (int v = 0; v < Vectors; ++v) {
        const __m512i sum_of_row = _mm512_sub_epi32(_mm512_load_si512(sums[r] + v * kInt32Lanes), less);
        const __m512i quantized =
            to_quantized(sum_of_row, own.scale[v], own.mask[v], epilogue, terms, channel + v * kInt32Lanes);
        store_masked_bytes_128(to + (row + r) * work.stride + v * kInt32Lanes, own.mask[v],
                               _mm512_cvtepi32_epi8(quantized));
      }
    }
  }
}

}  // namespace

[[NNRT_TARGET_VNNI]] void pack_rows(const Int8Rows& rows, uint8_t* to, int32_t* sums) {
  const int64_t row_bytes = packed_row_bytes(rows.taps, rows.tap_values);
  const int64_t steps = row_steps(rows.taps, rows.tap_values);
  const int64_t tap_bytes = steps / rows.taps * kDotDepth;
  const int64_t last = steps % kGroupSteps * kDotDepth;  // bytes in the last group if it is partial
  const __m512i ones = _mm512_set1_epi8(1);
  for (int r = 0; r < rows.count; ++r, to += row_bytes) {
    __m512i sum = _mm512_setzero_si512();
    for (int64_t tap = 0; tap < rows.taps; ++tap) {
      const int8_t* const from = rows.parts[tap * rows.tap_rows + r];
      for (int64_t k = 0; k < rows.tap_values; k += kGroupBytes) {
        const int64_t left = rows.tap_values - k;
        const __mmask64 mask = left >= kGroupBytes ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
        const __m512i quantized = load_masked_bytes(mask, from + k);
        sum = _mm512_dpbusd_epi32(sum, ones, quantized);
        _mm512_storeu_si512(to + tap * tap_bytes + k, quantized);
      }
    }
    sums[r] = _mm512_reduce_add_epi32(sum);
    if (last > 0 && steps > kGroupSteps) {
      uint8_t* const group = to + steps / kGroupSteps * kGroupBytes;
      std::memmove(group + kGroupBytes - last, group, size_t(last));
      std::memset(group, 0, size_t(kGroupBytes - last));
    }
  }
}

[[NNRT_TARGET_AMX]] void multiply_amx(const AmxGemmWork& work, const Int8Epilogue& terms) {
  const int64_t steps = row_steps(work.taps, work.tap_values);
  load_shapes(int(work.block_rows), int(std::min(steps, kGroupSteps)));
  for (int64_t column = 0; column < work.columns; column += kInt8PanelColumns) {
    const int64_t columns = std::min<int64_t>(work.columns - column, kInt8PanelColumns);
    const uint8_t* const panel = work.panels + column * steps * kDotDepth;
    const auto multiply = columns > kInt32Lanes ? multiply_panel<2> : multiply_panel<1>;
    multiply(work, panel, work.channel + column, columns, work.to + column, terms);
  }
  _tile_release();
}

#else

void pack_rows(const Int8Rows&, uint8_t*, int32_t*) { NNRT_CHECK(false, "This processor has no tiles."); }
void multiply_amx(const AmxGemmWork&, const Int8Epilogue&) {
  NNRT_CHECK(false, "This processor has no tiles.");
}

#endif

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
