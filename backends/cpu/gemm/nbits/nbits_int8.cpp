#include "backends/cpu/gemm/nbits/nbits_int8.h"

#include "backends/cpu/simd/int8_rounding.h"
#include "backends/cpu/simd/isa.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nnrt::cpu {

Int8Quantized::Int8Quantized(int64_t rows, int64_t inner, int64_t block, int64_t bits)
    : rows_(rows), inner_(inner), block_(block), blocks_(divide_up(inner, block)) {
  const int64_t depth = 32 / bits;
  block_values_ = round_up(block, depth);
}

size_t Int8Quantized::bytes() const {
  return size_t(rows_ * blocks_) * (sizeof(float) + sizeof(int32_t) + size_t(block_values_));
}

void Int8Quantized::place(std::byte* memory) {
  scales_ = reinterpret_cast<float*>(memory);
  sums_ = reinterpret_cast<int32_t*>(scales_ + rows_ * blocks_);
  values_ = reinterpret_cast<int8_t*>(sums_ + rows_ * blocks_);
}

namespace {

template <int Bytes>
struct CodesOf {
  typedef int8_t type __attribute__((vector_size(Bytes / 4)));
};

// The largest magnitude; NaN if a value is not finite.
template <int Bytes>
NNRT_INLINE float largest_magnitude(const float* from, int64_t count) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  Vector<Bytes> largest{}, unknown{};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vector<Bytes> x = load<Bytes>(from + i), size = x < 0 ? -x : x;
    largest = largest < size ? size : largest;
    unknown += x - x;
  }
  float result = 0, rest = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    result = std::max(result, largest[lane]);
    rest += unknown[lane];
  }
  for (; i < count; ++i) {
    result = std::max(result, std::abs(from[i]));
    rest += from[i] - from[i];
  }
  return result + rest;
}

// Returns the sum of the codes.
template <int Bytes>
NNRT_INLINE int32_t quantize_values(const float* from, int64_t count, float inverse, int8_t* to) {
  constexpr int64_t kLanes = Bytes / int64_t(sizeof(float));
  constexpr float kRounder = 12582912.0f;  // adding it rounds to an integer
  Ints<Bytes> sums{};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const Vector<Bytes> rounded = load<Bytes>(from + i) * inverse + kRounder - kRounder;
    const Ints<Bytes> codes = __builtin_convertvector(rounded, Ints<Bytes>);
    sums += codes;
    const auto bytes = __builtin_convertvector(codes, typename CodesOf<Bytes>::type);
    std::memcpy(to + i, &bytes, Bytes / 4);
  }
  int32_t sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  for (; i < count; ++i) {
    to[i] = int8_t(int32_t(from[i] * inverse + kRounder - kRounder));
    sum += to[i];
  }
  return sum;
}

}  // namespace

void Int8Quantized::quantize(const float* rows, int64_t begin, int64_t end) const {
  constexpr float kLargest = 127, kMaxFloat = std::numeric_limits<float>::max();
  with_vectors(
      vector_bytes(), [&](auto bytes) __attribute__((always_inline)) {
        for (int64_t at = begin * blocks_; at < end * blocks_; ++at) {
          const int64_t first = at % blocks_ * block_, count = std::min(block_, inner_ - first);
          const float* const from = rows + at / blocks_ * inner_ + first;
          int8_t* const to = values_ + at * block_values_;
          const float largest = largest_magnitude<bytes>(from, count);
          const float inverse = kLargest / largest;
          scales_[at] = largest / kLargest;
          const bool is_zero = !(inverse <= kMaxFloat);  // or NaN, or too small for an inverse
          std::fill(is_zero ? to : to + count, to + block_values_, int8_t{0});
          sums_[at] = is_zero ? 0 : quantize_values<bytes>(from, count, inverse, to);
        }
      });
}

namespace {

#if defined(__x86_64__)

// The instructions need an unsigned factor: the weights, without the middle of their range subtracted.
struct UnsignedOffset {
  int32_t flip;    // XOR with a packed word restores the unsigned weights
  int32_t factor;  // the middle
};
UnsignedOffset unsigned_offset(const NbitsPanels& panels) {
  return panels.bits == 4 ? UnsignedOffset{int32_t(0x88888888), 8} : UnsignedOffset{int32_t(0x80808080), 128};
}

#define NNRT_TARGET_NBITS_AVX2 gnu::target("avx2,fma,f16c")

template <int Bits, int Rows>
[[NNRT_TARGET_VNNI]] void multiply_vnni(const NbitsPanels& panels, int64_t panel, const Int8Quantized& rows,
                                        int64_t first, float* sums) {
  constexpr int kVectors = 2, kLanes = 16;
  constexpr int kAhead = 4096;  // bytes of weights to prefetch
  const UnsignedOffset middle = unsigned_offset(panels);
  const __m512i flip = _mm512_set1_epi32(middle.flip), low_half = _mm512_set1_epi8(15);
  const int64_t blocks = panels.blocks(), steps = panels.block_steps();
  const size_t head = panels.scale_bytes() + panels.zero_bytes(), block_bytes = panels.block_bytes();
  const int8_t* values[Rows];
  for (int r = 0; r < Rows; ++r) values[r] = rows.values(first + r);
  __m512 total[Rows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < kVectors; ++v) total[r][v] = _mm512_setzero_ps();
  const std::byte* block = panels.block_at(panel, 0);
  int64_t at = 0;  // in the values of a row
  for (int64_t b = 0; b < blocks; ++b, block += block_bytes) {
    const std::byte* words = block + head;
    __m512i sum[Rows][kVectors];
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm512_setzero_si512();
    for (int64_t step = 0; step < steps; ++step, words += kVectors * 64, at += 32 / Bits) {
      __m512i weight[kVectors][2];
      for (int v = 0; v < kVectors; ++v) {
        _mm_prefetch(words + kAhead + v * 64, _MM_HINT_T0);
        const __m512i word = _mm512_xor_si512(_mm512_loadu_si512(words + v * 64), flip);
        weight[v][0] = Bits == 4 ? _mm512_and_si512(word, low_half) : word;
        if constexpr (Bits == 4) weight[v][1] = _mm512_and_si512(_mm512_srli_epi32(word, 4), low_half);
      }
      // Unless all loops over rows and vectors are unrolled, g++ keeps the sums in memory.
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        for (int part = 0; part < 8 / Bits; ++part) {
          int32_t four;
          __builtin_memcpy(&four, values[r] + at + part * int64_t(sizeof four), sizeof four);
          const __m512i x = _mm512_set1_epi32(four);
          for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm512_dpbusd_epi32(sum[r][v], weight[v][part], x);
        }
      }
    }
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const __m512 scale =
          panels.form.half_scales
              ? _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + v * 32)))
              : _mm512_loadu_ps(block + v * 64);
      const __m512i zero = panels.form.centered
                               ? _mm512_set1_epi32(middle.factor)
                               : _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(
                                     block + panels.scale_bytes() + v * kLanes)));
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        const __m512i offset = _mm512_mullo_epi32(zero, _mm512_set1_epi32(rows.sums(first + r)[b]));
        const __m512 products = _mm512_cvtepi32_ps(_mm512_sub_epi32(sum[r][v], offset));
        total[r][v] = _mm512_fmadd_ps(
            products, _mm512_mul_ps(scale, _mm512_set1_ps(rows.scales(first + r)[b])), total[r][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < kVectors; ++v) _mm512_storeu_ps(sums + (r * kVectors + v) * kLanes, total[r][v]);
}

// 4 bits: the sums of two products fit in 16 bits.
template <int Rows>
[[NNRT_TARGET_NBITS_AVX2]] void multiply_avx2(const NbitsPanels& panels, int64_t panel,
                                              const Int8Quantized& rows, int64_t first, float* sums) {
  constexpr int kVectors = 2, kLanes = 8;
  const UnsignedOffset middle = unsigned_offset(panels);
  const __m256i flip = _mm256_set1_epi32(middle.flip), low_half = _mm256_set1_epi8(15),
                ones = _mm256_set1_epi16(1);
  const int64_t steps = panels.block_steps(), head = int64_t(panels.scale_bytes() + panels.zero_bytes());
  const int8_t* values[Rows];
  for (int r = 0; r < Rows; ++r) values[r] = rows.values(first + r);
  __m256 total[Rows][kVectors];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < kVectors; ++v) total[r][v] = _mm256_setzero_ps();
  for (int64_t b = 0; b < panels.blocks(); ++b) {
    const std::byte* const block = panels.block_at(panel, b);
    const std::byte* words = block + head;
    __m256i sum[Rows][kVectors];
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < kVectors; ++v) sum[r][v] = _mm256_setzero_si256();
    for (int64_t step = 0; step < steps; ++step, words += kVectors * 32) {
      __m256i weight[kVectors][2];
      for (int v = 0; v < kVectors; ++v) {
        const __m256i word =
            _mm256_xor_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + v * 32)), flip);
        weight[v][0] = _mm256_and_si256(word, low_half);
        weight[v][1] = _mm256_and_si256(_mm256_srli_epi32(word, 4), low_half);
      }
      for (int r = 0; r < Rows; ++r) {
        int32_t four[2];
        __builtin_memcpy(four, values[r], sizeof four);
        values[r] += sizeof four;
        const __m256i x[2] = {_mm256_set1_epi32(four[0]), _mm256_set1_epi32(four[1])};
        for (int v = 0; v < kVectors; ++v) {
          // Four products of at most 15 * 127 each fit in 16 bits too.
          const __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(weight[v][0], x[0]),
                                                 _mm256_maddubs_epi16(weight[v][1], x[1]));
          sum[r][v] = _mm256_add_epi32(sum[r][v], _mm256_madd_epi16(pairs, ones));
        }
      }
    }
    for (int v = 0; v < kVectors; ++v) {
      const __m256 scale =
          panels.form.half_scales
              ? _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(block + v * 16)))
              : _mm256_loadu_ps(reinterpret_cast<const float*>(block + v * 32));
      const __m256i zero = panels.form.centered
                               ? _mm256_set1_epi32(middle.factor)
                               : _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(
                                     block + panels.scale_bytes() + v * kLanes)));
      for (int r = 0; r < Rows; ++r) {
        const __m256i offset = _mm256_mullo_epi32(zero, _mm256_set1_epi32(rows.sums(first + r)[b]));
        const __m256 products = _mm256_cvtepi32_ps(_mm256_sub_epi32(sum[r][v], offset));
        total[r][v] = _mm256_fmadd_ps(
            products, _mm256_mul_ps(scale, _mm256_set1_ps(rows.scales(first + r)[b])), total[r][v]);
      }
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < kVectors; ++v) _mm256_storeu_ps(sums + (r * kVectors + v) * kLanes, total[r][v]);
}

// Dispatches to the instantiation for `count` rows, at most `Rows`.
template <int Rows>
void multiply_rows(int vector_bytes, const NbitsPanels& panels, int64_t panel, const Int8Quantized& rows,
                   int64_t first, int count, float* sums) {
  if constexpr (Rows > 1) {
    if (count < Rows) return multiply_rows<Rows - 1>(vector_bytes, panels, panel, rows, first, count, sums);
  }
  if (vector_bytes == 32) return multiply_avx2<Rows>(panels, panel, rows, first, sums);
  if (panels.bits == 8) return multiply_vnni<8, Rows>(panels, panel, rows, first, sums);
  multiply_vnni<4, Rows>(panels, panel, rows, first, sums);
}

#endif

}  // namespace

bool nbits_int8_supported([[maybe_unused]] int vector_bytes, [[maybe_unused]] int64_t bits) {
#if defined(__x86_64__)
  return vector_bytes == 64 ? has_isa(Isa::vnni) : vector_bytes == 32 && bits == 4;
#else
  return false;
#endif
}

void nbits_int8_products([[maybe_unused]] int vector_bytes, [[maybe_unused]] const NbitsPanels& panels,
                         [[maybe_unused]] int64_t panel, [[maybe_unused]] const Int8Quantized& rows,
                         [[maybe_unused]] int64_t first, [[maybe_unused]] int count,
                         [[maybe_unused]] float* sums) {
#if defined(__x86_64__)
  multiply_rows<kMaxNbitsInt8Rows>(vector_bytes, panels, panel, rows, first, count, sums);
#endif
}

}  // namespace nnrt::cpu
