#include "backends/cpu/gemm/int8_microkernel.h"

#include "backends/cpu/gemm/int8_epilogue.h"
#include "backends/cpu/simd/simd.h"
#include "core/base/check.h"

#include <algorithm>
#include <type_traits>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {

#if defined(__x86_64__)

[[NNRT_TARGET_VNNI, gnu::noinline]] __m512i round_exactly(__m512i sums, __m512i quantized, uint32_t mask,
                                                          const Int8Epilogue& terms, int64_t channel) {
  alignas(64) int32_t from[kInt32Lanes], to[kInt32Lanes];
  _mm512_store_si512(from, sums);
  _mm512_store_si512(to, quantized);
  for (int i = 0; i < kInt32Lanes; ++i)
    if ((mask >> i & 1) != 0) to[i] = quantize_exactly(from[i], terms, channel + i);
  return _mm512_load_si512(to);
}

namespace {

// Adds the products of a step to `sums`. `Flips`: activations get an offset of 128 and weights are signed.
template <int Rows, int Vectors, bool Flips>
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void add_step(const int8_t* const (&part)[Rows], int64_t step,
                                                            const uint8_t* panel,
                                                            __m512i (&sums)[Rows][Vectors]) {
  const __m512i flip = _mm512_set1_epi8(-128);
  __m512i weight[Vectors];
  for (int v = 0; v < Vectors; ++v) weight[v] = _mm512_loadu_si512(panel + v * 64);
  for (int r = 0; r < Rows; ++r) {
    int32_t four;
    __builtin_memcpy(&four, part[r] + step * kDotDepth, sizeof four);
    __m512i quantized = _mm512_set1_epi32(four);
    if constexpr (Flips) {
      quantized = _mm512_xor_si512(quantized, flip);
      for (int v = 0; v < Vectors; ++v) add_dots(sums[r][v], quantized, weight[v]);
    } else {
      for (int v = 0; v < Vectors; ++v) add_dots(sums[r][v], weight[v], quantized);
    }
  }
}

// Products of few rows wait for weights beyond L1, so they prefetch them this many bytes ahead.
constexpr int kFewRows = 4;
constexpr int64_t kFewRowsAhead = 4096;

template <int Rows, int Vectors>
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void prefetch_step(const uint8_t* panel, const uint8_t* ahead) {
  if constexpr (Rows > kFewRows) {
    _mm_prefetch(ahead, _MM_HINT_T1);
  } else {
    for (int v = 0; v < Vectors; ++v) _mm_prefetch(panel + kFewRowsAhead + v * 64, _MM_HINT_T0);
  }
}

// Adds the products of all steps to `sums`, and prefetches a cache line per step, `ahead_step` bytes apart.
// With few accumulators, consecutive steps use separate ones, which hides the latency of the dot products.
template <int Rows, int Vectors, bool Flips>
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void add_products(const Int8Rows& rows, const uint8_t* panel,
                                                                const uint8_t* ahead, int64_t ahead_step,
                                                                __m512i (&sums)[Rows][Vectors]) {
  constexpr int kWays = Rows * Vectors <= 2 ? 4 : Rows * Vectors <= 8 ? 2 : 1;
  const int64_t steps = divide_up(rows.tap_values, kDotDepth);
  __m512i others[kWays][Rows][Vectors];
  for (int way = 1; way < kWays; ++way)
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) others[way][r][v] = _mm512_setzero_si512();
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const int8_t* part[Rows];
    for (int r = 0; r < Rows; ++r) part[r] = rows.parts[tap * rows.tap_rows + r];
    int64_t step = 0;
    if constexpr (kWays > 1) {
      for (; step + kWays <= steps; step += kWays)
#pragma GCC unroll 4
        for (int way = 0; way < kWays; ++way, panel += Vectors * 64, ahead += ahead_step) {
          prefetch_step<Rows, Vectors>(panel, ahead);
          if (way == 0) {
            add_step<Rows, Vectors, Flips>(part, step, panel, sums);
          } else {
            add_step<Rows, Vectors, Flips>(part, step + way, panel, others[way]);
          }
        }
    }
    for (; step < steps; ++step, panel += Vectors * 64, ahead += ahead_step) {
      prefetch_step<Rows, Vectors>(panel, ahead);
      add_step<Rows, Vectors, Flips>(part, step, panel, sums);
    }
  }
  for (int way = 1; way < kWays; ++way)
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sums[r][v] = _mm512_add_epi32(sums[r][v], others[way][r][v]);
}

template <int Rows, int Vectors, typename To>
[[NNRT_TARGET_VNNI]] void multiply_block(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                                         const Int8Epilogue& terms, int64_t channel, int columns, To* to,
                                         int64_t stride) {
  __m512i sums[Rows][Vectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) sums[r][v] = _mm512_setzero_si512();
  add_products<Rows, Vectors, false>(rows, panel, panel, 0, sums);
  const Int8EpilogueRegisters epilogue = epilogue_registers(terms);
  for (int v = 0; v < Vectors; ++v) {
    const __mmask16 mask = first_lanes(columns - v * kInt32Lanes);
    const int64_t first = channel + v * kInt32Lanes;
    const __m512i offset = load_masked_ints(mask, terms.offset + first);
    const __m512i zero = load_masked_ints(mask, terms.weight_zero + first);
    const __m512 scale = load_masked_floats(mask, terms.scale + first);
    for (int r = 0; r < Rows; ++r) {
      const __m512i row = _mm512_mullo_epi32(zero, _mm512_set1_epi32(row_sums[r]));
      sums[r][v] = _mm512_add_epi32(sums[r][v], _mm512_sub_epi32(offset, row));
      if constexpr (std::is_same_v<To, int8_t>) {
        const __m512i quantized = to_quantized(sums[r][v], scale, mask, epilogue, terms, first);
        store_masked_bytes_128(to + r * stride + v * kInt32Lanes, mask, _mm512_cvtepi32_epi8(quantized));
      }
    }
  }
  if constexpr (std::is_same_v<To, int32_t>) store_raw(sums, terms, channel, columns, to, stride);
}

template <Finish How, bool Adds, int Rows, int Vectors, typename To>
[[NNRT_TARGET_VNNI]] void multiply_symmetric(Int8Rows rows, const int32_t* row_sums, const uint8_t* panel,
                                             const Int8Epilogue& terms, int64_t channel, int columns, To* to,
                                             int64_t stride) {
  constexpr bool kFlips = Vectors == 1;
  __mmask16 mask[Vectors];
  __m512 scale[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    mask[v] = first_lanes(columns - v * kInt32Lanes);
    scale[v] = load_masked_floats(mask[v], terms.scale + channel + v * kInt32Lanes);
  }
  const int64_t lines = rows.taps * divide_up(rows.tap_values, kDotDepth);  // per vector
  for (int64_t block = 0; block < rows.blocks; ++block) {
    __m512i sums[Rows][Vectors];
    for (int v = 0; v < Vectors; ++v) {
      const __m512i offset = load_masked_ints(mask[v], terms.offset + channel + v * kInt32Lanes);
      for (int r = 0; r < Rows; ++r) {
        const auto less = int32_t(uint32_t(row_sums[r]) * uint32_t(kByteOfZero));
        sums[r][v] = kFlips ? offset : _mm512_sub_epi32(offset, _mm512_set1_epi32(less));
      }
    }
    // The first blocks prefetch the next panel.
    const bool prefetches = rows.next_panel != nullptr && block < Vectors;
    const uint8_t* const ahead = prefetches ? rows.next_panel + block * lines * 64 : panel;
    int64_t ahead_step = prefetches ? 64 : 0;
    asm("" : "+r"(ahead_step));  // keeps GCC from making two loops, with sums in memory
    add_products<Rows, Vectors, kFlips>(rows, panel, ahead, ahead_step, sums);
    store_rows<How, Adds>(sums, scale, terms, channel, columns, to, stride);
    rows.parts += rows.taps * rows.tap_rows;
    row_sums += Rows;
    to += Rows * stride;
  }
}

// Dispatches to the instantiation for rows.count rows.
template <int Rows, int Vectors, typename To>
void multiply_rows(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, To* to, int64_t stride) {
  if constexpr (Rows > 1) {
    if (rows.count < Rows)
      return multiply_rows<Rows - 1, Vectors>(rows, row_sums, panel, terms, channel, columns, to, stride);
  }
  if (!terms.symmetric) {
    for_blocks(
        rows, row_sums, to, stride, [&](const Int8Rows& block, const int32_t* block_sums, To* block_to) {
          multiply_block<Rows, Vectors>(block, block_sums, panel, terms, channel, columns, block_to, stride);
        });
  } else if constexpr (std::is_same_v<To, int32_t>) {
    multiply_symmetric<Finish::raw, false, Rows, Vectors>(rows, row_sums, panel, terms, channel, columns, to,
                                                          stride);
  } else {
    const bool is_plain = finish_of(terms, channel, columns) == Finish::plain;
    const auto multiply = terms.residual == nullptr
                              ? (is_plain ? multiply_symmetric<Finish::plain, false, Rows, Vectors, To>
                                          : multiply_symmetric<Finish::any, false, Rows, Vectors, To>)
                              : (is_plain ? multiply_symmetric<Finish::plain, true, Rows, Vectors, To>
                                          : multiply_symmetric<Finish::any, true, Rows, Vectors, To>);
    multiply(rows, row_sums, panel, terms, channel, columns, to, stride);
  }
}

template <typename To>
void multiply_columns(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                      const Int8Epilogue& terms, int64_t channel, int columns, To* to, int64_t stride) {
  if (columns > kInt32Lanes)
    return multiply_rows<kInt8BlockRows, 2>(rows, row_sums, panel, terms, channel, columns, to, stride);
  multiply_rows<kInt8BlockRows, 1>(rows, row_sums, panel, terms, channel, columns, to, stride);
}

struct ChannelSums {
  __m512i products[4], quantized[4];
};

// Accumulates four taps of a block of channels; bytes are interleaved so that a channel's four are adjacent.
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void add_quad(const int8_t* const* taps, int64_t channel,
                                                            __mmask64 mask, const uint8_t* weight,
                                                            ChannelSums& sums) {
  __m512i tap[4];
  for (int t = 0; t < 4; ++t) tap[t] = load_masked_bytes(mask, taps[t] + channel);
  const __m512i low_01 = _mm512_unpacklo_epi8(tap[0], tap[1]), high_01 = _mm512_unpackhi_epi8(tap[0], tap[1]);
  const __m512i low_23 = _mm512_unpacklo_epi8(tap[2], tap[3]), high_23 = _mm512_unpackhi_epi8(tap[2], tap[3]);
  const __m512i four[4] = {_mm512_unpacklo_epi16(low_01, low_23), _mm512_unpackhi_epi16(low_01, low_23),
                           _mm512_unpacklo_epi16(high_01, high_23), _mm512_unpackhi_epi16(high_01, high_23)};
  const __m512i ones = _mm512_set1_epi8(1);
  for (int v = 0; v < 4; ++v) {
    sums.products[v] = _mm512_dpbusd_epi32(sums.products[v], _mm512_loadu_si512(weight + v * 64), four[v]);
    sums.quantized[v] = _mm512_dpbusd_epi32(sums.quantized[v], ones, four[v]);
  }
}

[[NNRT_TARGET_VNNI]] void depthwise_block(const int8_t* const* taps, int64_t quads, const uint8_t* weight,
                                          const Int8Epilogue& terms, int64_t channel, int64_t channels,
                                          int8_t* to) {
  const __mmask64 mask = channels >= 64 ? ~__mmask64{0} : (__mmask64{1} << channels) - 1;
  ChannelSums sums;
  for (int v = 0; v < 4; ++v) sums.products[v] = sums.quantized[v] = _mm512_setzero_si512();
  for (int64_t quad = 0; quad < quads; ++quad)
    add_quad(taps + quad * 4, channel, mask, weight + quad * 256, sums);
  const Int8EpilogueRegisters epilogue = epilogue_registers(terms);
  __m512i quantized[4];
  // Vector v holds channels 16 l + 4 v to 16 l + 4 v + 3 in its 128-bit lane l.
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51);
  for (int v = 0; v < 4; ++v) {
    const __m512i places = _mm512_add_epi32(lanes, _mm512_set1_epi32(4 * v));
    const __mmask16 exist =
        _mm512_cmplt_epi32_mask(places, _mm512_set1_epi32(int32_t(std::min<int64_t>(channels, 64))));
    // A block's terms are stored in the order of its sums.
    const int64_t first = channel + v * kInt32Lanes;
    const __m512i zero = _mm512_loadu_si512(terms.weight_zero + first);
    const __m512i offset = _mm512_loadu_si512(terms.offset + first);
    const __m512i sum = _mm512_add_epi32(
        sums.products[v], _mm512_sub_epi32(offset, _mm512_mullo_epi32(zero, sums.quantized[v])));
    quantized[v] = to_quantized(sum, _mm512_loadu_ps(terms.scale + first), exist, epilogue, terms, first);
  }
  const __m512i low = _mm512_packs_epi32(quantized[0], quantized[1]),
                high = _mm512_packs_epi32(quantized[2], quantized[3]);
  store_masked_bytes(to, mask, _mm512_packs_epi16(low, high));
}

// Eight rows of one part of up to 64 values.
[[NNRT_TARGET_VNNI]] void sum_short_rows(const Int8Rows& rows, int32_t* to) {
  const __mmask64 mask = ~__mmask64{0} >> (64 - rows.tap_values);
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i sums[kInt8BlockRows];
  for (int r = 0; r < kInt8BlockRows; ++r)
    sums[r] = _mm512_dpbusd_epi32(_mm512_setzero_si512(), ones, load_masked_bytes(mask, rows.parts[r]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sum_lanes(sums));
}

// Eight rows whose parts are equally spaced windows of a line of up to 64 bytes per tap; returns false for
// other rows. Adding the lines before cutting out windows takes one load per tap instead of eight.
[[NNRT_TARGET_VNNI]] bool sum_windows(const Int8Rows& rows, int32_t* to) {
  constexpr int64_t kMostTaps = 255;  // the sums of as many bytes fit in 16 bits
  if (rows.tap_rows != kInt8BlockRows || rows.count < kInt8BlockRows || rows.taps < 2) return false;
  const int64_t step = reinterpret_cast<int64_t>(rows.parts[1]) - reinterpret_cast<int64_t>(rows.parts[0]);
  const int64_t reach = (kInt8BlockRows - 1) * step + rows.tap_values;
  if (step <= 0 || rows.tap_values <= 0 || reach > 64 || rows.taps > kMostTaps) return false;
  const __m512i steps =
      _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(step));
  const __mmask64 mask = ~__mmask64{0} >> (64 - reach);
  __m512i low = _mm512_setzero_si512(), high = low;
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const int8_t* const* const parts = rows.parts + tap * kInt8BlockRows;
    const __m512i expected = _mm512_add_epi64(steps, _mm512_set1_epi64(reinterpret_cast<int64_t>(parts[0])));
    if (_mm512_cmpneq_epi64_mask(expected, _mm512_loadu_si512(parts)) != 0) return false;
    const __m512i line = load_masked_bytes(mask, parts[0]);
    low = _mm512_add_epi16(low, _mm512_cvtepi8_epi16(_mm512_castsi512_si256(line)));
    high = _mm512_add_epi16(high, _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64(line, 1)));
  }
  const __m512i ones = _mm512_set1_epi16(1);
  __mmask64 window = ~__mmask64{0} >> (64 - rows.tap_values);
  __m512i sums[kInt8BlockRows];
  for (int r = 0; r < kInt8BlockRows; ++r, window <<= step) {
    sums[r] = _mm512_madd_epi16(_mm512_maskz_mov_epi16(__mmask32(window), low), ones);
    sums[r] = _mm512_dpwssd_epi32(sums[r], _mm512_maskz_mov_epi16(__mmask32(window >> 32), high), ones);
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), sum_lanes(sums));
  return true;
}

// How many taps from this one on are contiguous in each of eight rows.
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline int64_t contiguous_taps(const Int8Rows& rows, int64_t tap) {
  if (rows.tap_rows != kInt8BlockRows || rows.count < kInt8BlockRows) return 1;
  const int8_t* const* const parts = rows.parts + tap * kInt8BlockRows;
  const int64_t most = rows.taps - tap;
  const __m512i step = _mm512_set1_epi64(rows.tap_values);
  __m512i next = _mm512_loadu_si512(parts);
  for (int64_t run = 1; run < most; ++run) {
    next = _mm512_add_epi64(next, step);
    if (_mm512_cmpneq_epi64_mask(next, _mm512_loadu_si512(parts + run * kInt8BlockRows)) != 0) return run;
  }
  return most;
}

// One block. Sums the last row again in place of missing ones, and does not store those.
[[NNRT_TARGET_VNNI]] void sum_block(const Int8Rows& rows, int32_t* to) {
  constexpr int kRows = kInt8BlockRows;
  static_assert(kRows == 8);
  const __m512i ones = _mm512_set1_epi8(1);
  __m512i sums[kRows];
  for (int r = 0; r < kRows; ++r) sums[r] = _mm512_setzero_si512();
  for (int64_t tap = 0, run = 0; tap < rows.taps; tap += run) {
    run = contiguous_taps(rows, tap);
    const int64_t values = run * rows.tap_values, rest = values % 64, whole = values - rest;
    const __mmask64 mask = (__mmask64{1} << rest) - 1;
    const int8_t* const* const parts = rows.parts + tap * rows.tap_rows;
    const int8_t* part[kRows];
    for (int r = 0; r < kRows; ++r) part[r] = parts[std::min(r, rows.count - 1)];
    for (int64_t i = 0; i < whole; i += 64)
      for (int r = 0; r < kRows; ++r)
        sums[r] = _mm512_dpbusd_epi32(sums[r], ones, _mm512_loadu_si512(part[r] + i));
    if (rest > 0)
      for (int r = 0; r < kRows; ++r)
        sums[r] = _mm512_dpbusd_epi32(sums[r], ones, load_masked_bytes(mask, part[r] + whole));
  }
  const __m256i all = sum_lanes(sums);
  _mm256_mask_storeu_epi32(to, __mmask8((1u << rows.count) - 1), all);
}

}  // namespace

void sum_int8_rows(const Int8Rows& rows, int32_t* sums) {
  const bool is_short =
      rows.count == kInt8BlockRows && rows.taps == 1 && rows.tap_values > 0 && rows.tap_values <= 64;
  if (is_short) return sum_short_rows(rows, sums);
  if (!sum_windows(rows, sums)) sum_block(rows, sums);
}

void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int8_t* to, int64_t stride) {
  multiply_columns(rows, row_sums, panel, terms, channel, columns, to, stride);
}
void multiply_int8(const Int8Rows& rows, const int32_t* row_sums, const uint8_t* panel,
                   const Int8Epilogue& terms, int64_t channel, int columns, int32_t* to, int64_t stride) {
  multiply_columns(rows, row_sums, panel, terms, channel, columns, to, stride);
}

void depthwise_int8(const int8_t* const* taps, int64_t quads, const uint8_t* weight,
                    const Int8Epilogue& terms, int64_t channel, int64_t channels, int8_t* to) {
  depthwise_block(taps, quads, weight, terms, channel, channels, to);
}

#elif !defined(NNRT_ARM_DOT)

void sum_int8_rows(const Int8Rows&, int32_t*) { NNRT_CHECK(false, "This processor has no dot products."); }
void multiply_int8(const Int8Rows&, const int32_t*, const uint8_t*, const Int8Epilogue&, int64_t, int,
                   int8_t*, int64_t) {
  NNRT_CHECK(false, "This processor has no dot products.");
}
void multiply_int8(const Int8Rows&, const int32_t*, const uint8_t*, const Int8Epilogue&, int64_t, int,
                   int32_t*, int64_t) {
  NNRT_CHECK(false, "This processor has no dot products.");
}
void depthwise_int8(const int8_t* const*, int64_t, const uint8_t*, const Int8Epilogue&, int64_t, int64_t,
                    int8_t*) {
  NNRT_CHECK(false, "This processor has no dot products.");
}

#endif

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
