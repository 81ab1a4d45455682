// depthwise_columns() with VNNI.
#include "backends/cpu/gemm/int8_epilogue.h"
#include "backends/cpu/simd/simd.h"

namespace nnrt::cpu {

#if defined(__x86_64__)

namespace {

constexpr int kQuadBytes = kDepthwiseChannels * kDotDepth;

// Interleaves up to four vertical taps: the bytes of a channel become adjacent.
template <int Taps>
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void interleave(const int8_t* const* taps, int64_t channel,
                                                              __mmask64 mask, __m512i (&four)[4]) {
  const __m512i flip = _mm512_set1_epi8(-128);
  __m512i tap[4];
  for (int t = 0; t < 4; ++t)
    tap[t] = t < Taps ? _mm512_xor_si512(load_masked_bytes(mask, taps[t] + channel), flip)
                      : _mm512_setzero_si512();
  const __m512i low_01 = _mm512_unpacklo_epi8(tap[0], tap[1]), high_01 = _mm512_unpackhi_epi8(tap[0], tap[1]);
  const __m512i low_23 = _mm512_unpacklo_epi8(tap[2], tap[3]), high_23 = _mm512_unpackhi_epi8(tap[2], tap[3]);
  four[0] = _mm512_unpacklo_epi16(low_01, low_23);
  four[1] = _mm512_unpackhi_epi16(low_01, low_23);
  four[2] = _mm512_unpacklo_epi16(high_01, high_23);
  four[3] = _mm512_unpackhi_epi16(high_01, high_23);
}

// Products of a quad and a column's weights.
[[NNRT_TARGET_VNNI, NNRT_KERNEL_STEP]] inline void add_products(const __m512i (&four)[4],
                                                                const uint8_t* weight, __m512i (&sums)[4]) {
#pragma GCC unroll 4
  for (int v = 0; v < 4; ++v)
    sums[v] = _mm512_dpbusd_epi32(sums[v], four[v], _mm512_loadu_si512(weight + v * 64));
}

// Quad `Quad` of column `Column`, for all pixels that use it.
template <int Height, int Width, int Stride, int Pixels, int Column, int Quad>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void add_column_quad(const int8_t* const* columns,
                                                                     int64_t channel, __mmask64 mask,
                                                                     const uint8_t* weight,
                                                                     __m512i (&sums)[Pixels][4]) {
  constexpr int kQuads = (Height + 3) / 4, kTaps = Height - 4 * Quad < 4 ? Height - 4 * Quad : 4;
  __m512i four[4];
  interleave<kTaps>(columns + Column * Height + 4 * Quad, channel, mask, four);
#pragma GCC unroll 4
  for (int p = 0; p < Pixels; ++p) {
    const int tap = Column - p * Stride;
    if (tap < 0 || tap >= Width) continue;
    add_products(four, weight + (tap * kQuads + Quad) * kQuadBytes, sums[p]);
  }
}

template <int Height, int Width, int Stride, int Pixels, int Column = 0>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline void add_columns(const int8_t* const* columns,
                                                                 int64_t channel, __mmask64 mask,
                                                                 const uint8_t* weight,
                                                                 __m512i (&sums)[Pixels][4]) {
  if constexpr (Column < (Pixels - 1) * Stride + Width) {
    add_column_quad<Height, Width, Stride, Pixels, Column, 0>(columns, channel, mask, weight, sums);
    if constexpr (Height > 4)
      add_column_quad<Height, Width, Stride, Pixels, Column, 1>(columns, channel, mask, weight, sums);
    add_columns<Height, Width, Stride, Pixels, Column + 1>(columns, channel, mask, weight, sums);
  }
}

template <int Height, int Width, int Stride, int Pixels>
[[NNRT_TARGET_VNNI]] void compute_pixels(const DepthwisePixels& pixels, const Int8Epilogue& terms) {
  constexpr int kQuads = (Height + 3) / 4;
  const PackedEpilogue epilogue = packed_epilogue(terms);
  const uint8_t* weight = pixels.weight;
  for (int64_t channel = 0; channel < pixels.channels; channel += kDepthwiseChannels) {
    const int64_t left = pixels.channels - channel;
    const __mmask64 mask = left >= kDepthwiseChannels ? ~__mmask64{0} : (__mmask64{1} << left) - 1;
    __m512i sums[Pixels][4];
    __m512 scale[4];
    for (int v = 0; v < 4; ++v) {
      // A block's terms are stored in the order of its sums.
      const __m512i offset = _mm512_loadu_si512(terms.offset + channel + v * kInt32Lanes);
      for (int p = 0; p < Pixels; ++p) sums[p][v] = offset;
    }
    add_columns<Height, Width, Stride, Pixels>(pixels.columns, channel, mask, weight, sums);
    weight += Width * kQuads * kQuadBytes;
    for (int v = 0; v < 4; ++v) scale[v] = _mm512_loadu_ps(terms.scale + channel + v * kInt32Lanes);
    int8_t* to = pixels.to + channel;
#pragma GCC unroll 4
    for (int p = 0; p < Pixels; ++p, to += pixels.step) {
      round_sums<4>(sums[p], scale, terms, channel);
      const __m512i low = _mm512_adds_epi16(_mm512_packs_epi32(sums[p][0], sums[p][1]), epilogue.zero_point);
      const __m512i high = _mm512_adds_epi16(_mm512_packs_epi32(sums[p][2], sums[p][3]), epilogue.zero_point);
      const __m512i bytes = _mm512_max_epi8(_mm512_packs_epi16(low, high), epilogue.low);
      store_masked_bytes(to, mask, _mm512_min_epi8(bytes, epilogue.high));
    }
  }
}

template <int Height, int Width, int Stride>
DepthwiseColumns for_pixels(int64_t pixels) {
  return pixels == 4   ? compute_pixels<Height, Width, Stride, 4>
         : pixels == 2 ? compute_pixels<Height, Width, Stride, 2>
         : pixels == 1 ? compute_pixels<Height, Width, Stride, 1>
                       : nullptr;
}

template <int Size>
DepthwiseColumns for_stride(int64_t stride, int64_t pixels) {
  return stride == 1   ? for_pixels<Size, Size, 1>(pixels)
         : stride == 2 ? for_pixels<Size, Size, 2>(pixels)
                       : nullptr;
}

}  // namespace

DepthwiseColumns depthwise_columns(int64_t kernel_height, int64_t kernel_width, int64_t stride,
                                   int64_t pixels) {
  if (!has_int8_dot() || kernel_height != kernel_width) return nullptr;
  return kernel_height == 3   ? for_stride<3>(stride, pixels)
         : kernel_height == 5 ? for_stride<5>(stride, pixels)
         : kernel_height == 7 ? for_stride<7>(stride, pixels)
                              : nullptr;
}

#else

DepthwiseColumns depthwise_columns(int64_t, int64_t, int64_t, int64_t) { return nullptr; }

#endif

}  // namespace nnrt::cpu
