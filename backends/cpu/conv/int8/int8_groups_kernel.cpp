#include "backends/cpu/conv/int8/int8_groups.h"
#include "backends/cpu/gemm/int8_epilogue.h"
#include "core/base/check.h"

namespace nnrt::cpu {

#if defined(__x86_64__)

namespace {

// `Channels`: 0 if known only at run time. Lanes of other channels are undefined.
template <int Channels>
[[NNRT_TARGET_VNNI, gnu::always_inline]] inline __m512i load_channels(const int8_t* from, __mmask16 quads) {
  if constexpr (Channels == 16)
    return _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  if constexpr (Channels == 32)
    return _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  return load_masked_ints(quads, from);
}

template <Finish How, int Channels, int Rows>
[[NNRT_TARGET_VNNI]] void multiply_block(const Int8GroupRows& rows, const Int8Epilogue& terms,
                                         int64_t channel, int columns, int8_t* to, int64_t stride) {
  const __m512i flip = _mm512_set1_epi8(-128), one = _mm512_set1_epi32(1);
  const __m512i first_quad = _mm512_loadu_si512(rows.first_quad);
  const __mmask16 quads = first_lanes(rows.channels / kDotDepth), mask = first_lanes(columns);
  const __m512i offset = load_masked_ints(mask, terms.offset + channel);
  const __m512 scale[1] = {load_masked_floats(mask, terms.scale + channel)};
  __m512i sums[Rows][1];
  for (int r = 0; r < Rows; ++r) sums[r][0] = offset;
  const int8_t* const* parts = rows.parts;
  const uint8_t* weights = rows.weights;
  for (int64_t tap = 0; tap < rows.taps; ++tap, parts += rows.tap_rows) {
    __m512i pixels[Rows];
    for (int r = 0; r < Rows; ++r)
      pixels[r] = _mm512_xor_si512(load_channels<Channels>(parts[r] + rows.channel, quads), flip);
    __m512i quad = first_quad;
    for (int64_t step = 0; step < rows.steps; ++step, weights += kInt32Lanes * kDotDepth) {
      const __m512i weight = _mm512_loadu_si512(weights);
      for (int r = 0; r < Rows; ++r) add_dots(sums[r][0], _mm512_permutexvar_epi32(quad, pixels[r]), weight);
      quad = _mm512_add_epi32(quad, one);
    }
  }
  store_rows<How, false>(sums, scale, terms, channel, columns, to, stride);
}

template <Finish How, int Channels, int Rows>
void multiply_blocks(Int8GroupRows& rows, const Int8Epilogue& terms, int64_t channel, int columns, int8_t* to,
                     int64_t stride) {
  for (; rows.count >= Rows; rows.count -= Rows, rows.parts += Rows, to += Rows * stride)
    multiply_block<How, Channels, Rows>(rows, terms, channel, columns, to, stride);
  if constexpr (Rows > 1) multiply_blocks<How, Channels, Rows / 2>(rows, terms, channel, columns, to, stride);
}

template <int Channels>
void multiply_channels(Int8GroupRows& rows, const Int8Epilogue& terms, int64_t channel, int columns,
                       int8_t* to, int64_t stride) {
  if (finish_of(terms, channel, columns) == Finish::plain) {
    multiply_blocks<Finish::plain, Channels, kInt8BlockRows>(rows, terms, channel, columns, to, stride);
  } else {
    multiply_blocks<Finish::any, Channels, kInt8BlockRows>(rows, terms, channel, columns, to, stride);
  }
}

}  // namespace

void multiply_int8_groups(Int8GroupRows rows, const Int8Epilogue& terms, int64_t channel, int columns,
                          int8_t* to, int64_t stride) {
  switch (rows.channels) {
    case 16: return multiply_channels<16>(rows, terms, channel, columns, to, stride);
    case 32: return multiply_channels<32>(rows, terms, channel, columns, to, stride);
    default: return multiply_channels<0>(rows, terms, channel, columns, to, stride);
  }
}

#else

void multiply_int8_groups(Int8GroupRows, const Int8Epilogue&, int64_t, int, int8_t*, int64_t) {
  NNRT_CHECK(false, "This processor has no dot products.");
}

#endif

}  // namespace nnrt::cpu
