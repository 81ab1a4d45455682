#include "backends/cpu/conv/int8/int8_winograd_kernels.h"

#include "backends/cpu/gemm/int8_epilogue.h"
#include "core/base/check.h"

namespace nnrt::cpu {

void transform_int8_kernel(const int8_t (&weights)[kInt8TileTaps], int16_t (&points)[kInt8TilePoints]) {
  constexpr int kRows[kInt8TileIn][3] = {{6, 0, 0}, {-1, -1, -1}, {-1, 1, -1},
                                         {1, 2, 4}, {1, -2, 4},   {0, 0, 6}};
  int lines[kInt8TileIn][3];
  for (int i = 0; i < kInt8TileIn; ++i)
    for (int v = 0; v < 3; ++v)
      lines[i][v] = kRows[i][0] * weights[v] + kRows[i][1] * weights[3 + v] + kRows[i][2] * weights[6 + v];
  for (int i = 0; i < kInt8TileIn; ++i)
    for (int j = 0; j < kInt8TileIn; ++j)
      points[i * kInt8TileIn + j] =
          int16_t(kRows[j][0] * lines[i][0] + kRows[j][1] * lines[i][1] + kRows[j][2] * lines[i][2]);
}

#if defined(__x86_64__)

namespace {

constexpr int kWords = 32;  // 16-bit values per vector

#define NNRT_VNNI_INLINE NNRT_TARGET_VNNI, gnu::always_inline
[[NNRT_VNNI_INLINE]] inline __m512i add(__m512i a, __m512i b) { return _mm512_add_epi16(a, b); }
[[NNRT_VNNI_INLINE]] inline __m512i sub(__m512i a, __m512i b) { return _mm512_sub_epi16(a, b); }
[[NNRT_VNNI_INLINE]] inline __m512i four(__m512i a) { return _mm512_slli_epi16(a, 2); }
[[NNRT_VNNI_INLINE]] inline __m512i add_sums(__m512i a, __m512i b) { return _mm512_add_epi32(a, b); }

// B x, for one line or column.
[[NNRT_VNNI_INLINE]] inline void transform_six(const __m512i (&x)[kInt8TileIn], __m512i (&to)[kInt8TileIn]) {
  const __m512i even = sub(x[4], four(x[2])), odd = sub(x[3], four(x[1]));
  const __m512i far = sub(x[4], x[2]), step = sub(x[3], x[1]), twice = add(step, step);
  to[0] = add(four(sub(x[0], x[2])), far);
  to[1] = add(even, odd);
  to[2] = sub(even, odd);
  to[3] = add(far, twice);
  to[4] = sub(far, twice);
  to[5] = sub(sub(x[5], x[3]), four(step));
}

// kWords channels, or those in `mask`.
template <bool Full>
[[NNRT_TARGET_VNNI]] void transform_channels(const int8_t* const (&pixels)[kInt8TilePoints], int64_t channel,
                                             __mmask32 mask, int16_t* to, int64_t step) {
  __m512i columns[kInt8TileIn][kInt8TileIn];  // [x][y]
  for (int x = 0; x < kInt8TileIn; ++x) {
    __m512i in[kInt8TileIn];
#pragma GCC unroll 6
    for (int y = 0; y < kInt8TileIn; ++y) {
      const int8_t* const from = pixels[y * kInt8TileIn + x] + channel;
      in[y] = _mm512_cvtepi8_epi16(Full ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))
                                        : load_masked_bytes_256(mask, from));
    }
    transform_six(in, columns[x]);
  }
  for (int y = 0; y < kInt8TileIn; ++y) {
    __m512i in[kInt8TileIn], out[kInt8TileIn];
#pragma GCC unroll 6
    for (int x = 0; x < kInt8TileIn; ++x) in[x] = columns[x][y];
    transform_six(in, out);
#pragma GCC unroll 6
    for (int x = 0; x < kInt8TileIn; ++x) {
      int16_t* const at = to + (y * kInt8TileIn + x) * step + channel;
      Full ? _mm512_storeu_si512(at, out[x]) : store_masked_shorts(at, mask, out[x]);
    }
  }
}

// sums += products of pairs of words. GCC 12 copies sums between registers around the intrinsic.
[[NNRT_VNNI_INLINE]] inline void add_pairs(__m512i& sums, __m512i a, __m512i b) {
  asm("vpdpwssd %2, %1, %0" : "+v"(sums) : "v"(a), "v"(b));
}

template <int Rows>
[[NNRT_TARGET_VNNI]] void multiply_block(const int16_t* rows, int64_t pairs, const int16_t* panel,
                                         const int16_t* ahead, int64_t ahead_step, int32_t* to) {
  __m512i sums[Rows][2];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_si512();
  for (int64_t pair = 0; pair < pairs; ++pair, panel += 2 * kWords, ahead += ahead_step) {
    const __m512i weight[2] = {_mm512_loadu_si512(panel), _mm512_loadu_si512(panel + kWords)};
    _mm_prefetch(ahead, _MM_HINT_T0);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      int32_t two;
      __builtin_memcpy(&two, rows + (r * pairs + pair) * 2, sizeof two);
      const __m512i words = _mm512_set1_epi32(two);
      add_pairs(sums[r][0], words, weight[0]);
      add_pairs(sums[r][1], words, weight[1]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    _mm512_storeu_si512(to + r * kInt8PanelColumns, sums[r][0]);
    _mm512_storeu_si512(to + r * kInt8PanelColumns + kInt32Lanes, sums[r][1]);
  }
}

using MultiplyBlock = void (*)(const int16_t* rows, int64_t pairs, const int16_t* panel, const int16_t* ahead,
                               int64_t ahead_step, int32_t* to);
constexpr MultiplyBlock kBlocks[] = {
    multiply_block<1>, multiply_block<2>, multiply_block<3>, multiply_block<4>,
    multiply_block<5>, multiply_block<6>, multiply_block<7>, multiply_block<8>,
};
static_assert(std::size(kBlocks) == kInt8BlockRows);

// f Y = A x, for one line or column of 32-bit sums.
[[NNRT_VNNI_INLINE]] inline void finish_six(const __m512i (&x)[kInt8TileIn], __m512i (&to)[kInt8TileOut]) {
  const __m512i one = add_sums(x[1], x[2]), one_odd = _mm512_sub_epi32(x[1], x[2]);
  const __m512i two = add_sums(x[3], x[4]), two_odd = _mm512_sub_epi32(x[3], x[4]);
  to[0] = add_sums(add_sums(x[0], two), _mm512_slli_epi32(one, 2));
  to[1] = add_sums(add_sums(one_odd, one_odd), two_odd);
  to[2] = add_sums(one, two);
  to[3] = add_sums(add_sums(one_odd, x[5]), add_sums(two_odd, two_odd));
}

// 2^(6 - k) / 9 modulo 2^32, where f[y] f[x] = 9 * 2^k: sums times this are 2^6 Y.
constexpr uint32_t kNinth = 954437177;
static_assert(kNinth * 9 == 1);
constexpr int kShift[kInt8TileOut] = {0, 1, 2, 2};  // 24 / f is 2 to this power

template <Finish How>
[[NNRT_TARGET_VNNI]] void finish_tile(const Int8Tile& tile, const Int8Epilogue& terms, int64_t channel,
                                      int columns) {
  __m512i lines[kInt8TileOut][2][kInt8TileIn];
  for (int v = 0; v < 2; ++v) {
    for (int x = 0; x < kInt8TileIn; ++x) {
      __m512i in[kInt8TileIn], out[kInt8TileOut];
#pragma GCC unroll 6
      for (int y = 0; y < kInt8TileIn; ++y)
        in[y] = _mm512_loadu_si512(tile.points + (y * kInt8TileIn + x) * tile.point_step + v * kInt32Lanes);
      finish_six(in, out);
#pragma GCC unroll 4
      for (int y = 0; y < kInt8TileOut; ++y) lines[y][v][x] = out[y];
    }
  }
  __m512i offset[2];
  __m512 scale[2];
  for (int v = 0; v < 2; ++v) {
    const __mmask16 mask = first_lanes(columns - v * kInt32Lanes);
    offset[v] = load_masked_ints(mask, terms.offset + channel + v * kInt32Lanes);
    scale[v] = load_masked_floats(mask, terms.scale + channel + v * kInt32Lanes);
  }
  int8_t* to = tile.to;
  for (int y = 0; y < tile.lines; ++y, to += tile.line_step) {
    __m512i sums[kInt8TileOut][2];
#pragma GCC unroll 2
    for (int v = 0; v < 2; ++v) {
      __m512i out[kInt8TileOut];
      finish_six(lines[y][v], out);
#pragma GCC unroll 4
      for (int x = 0; x < kInt8TileOut; ++x) {
        const __m512i factor = _mm512_set1_epi32(int32_t(kNinth << (kShift[y] + kShift[x])));
        sums[x][v] = _mm512_add_epi32(_mm512_srai_epi32(_mm512_mullo_epi32(out[x], factor), 6), offset[v]);
      }
    }
    if (tile.pixels == kInt8TileOut) {
      store_rows<How, false>(sums, scale, terms, channel, columns, to, tile.pixel_step);
    } else {
      for (int x = 0; x < tile.pixels; ++x) {
        __m512i pixel[1][2] = {{sums[x][0], sums[x][1]}};
        store_rows<How, false>(pixel, scale, terms, channel, columns, to + x * tile.pixel_step,
                               tile.pixel_step);
      }
    }
  }
}

}  // namespace

[[NNRT_TARGET_VNNI]] void transform_int8_tile(const int8_t* const (&pixels)[kInt8TilePoints],
                                              int64_t channels, int16_t* to, int64_t step) {
  int64_t channel = 0;
  for (; channel + kWords <= channels; channel += kWords)
    transform_channels<true>(pixels, channel, {}, to, step);
  if (channel < channels)
    transform_channels<false>(pixels, channel, (__mmask32{1} << (channels - channel)) - 1, to, step);
}

void multiply_words(const WordProduct& product) {
  const int64_t blocks = divide_up(product.tiles, kInt8BlockRows);
  int64_t row = 0;
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t rows = (product.tiles - row + blocks - block - 1) / (blocks - block);
    // The first two blocks prefetch the next panel, of two cache lines per pair.
    const bool prefetches = product.next != nullptr && block < 2;
    kBlocks[rows - 1](product.rows + row * product.pairs * 2, product.pairs, product.panel,
                      prefetches ? product.next + block * product.pairs * kWords : product.panel,
                      prefetches ? kWords : 0, product.to + row * kInt8PanelColumns);
    row += rows;
  }
}

void finish_int8_tile(const Int8Tile& tile, const Int8Epilogue& terms, int64_t channel, int columns) {
  const bool is_plain = finish_of(terms, channel, columns) == Finish::plain;
  (is_plain ? finish_tile<Finish::plain> : finish_tile<Finish::any>)(tile, terms, channel, columns);
}

#else

void transform_int8_tile(const int8_t* const (&)[kInt8TilePoints], int64_t, int16_t*, int64_t) {
  NNRT_CHECK(false, "This processor has no dot products.");
}
void multiply_words(const WordProduct&) { NNRT_CHECK(false, "This processor has no dot products."); }
void finish_int8_tile(const Int8Tile&, const Int8Epilogue&, int64_t, int) {
  NNRT_CHECK(false, "This processor has no dot products.");
}

#endif

}  // namespace nnrt::cpu
