#include "backends/cpu/gemm/split_rows.h"

#include "backends/cpu/simd/masked_access.h"
#include "core/base/check.h"

#include <bit>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {

#if defined(__x86_64__)
namespace {

constexpr uint32_t kRoundsToInfinity = 0x7f7f8000, kInfinity = 0x7f800000, kHalfUlp = 0x8000;

float of_bfloat(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

// Floats that need not be finite, also as BF16.
void split_carefully(float value, uint16_t& rounded, uint16_t& remainder) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= kInfinity) {
    const uint32_t quiet = magnitude > kInfinity ? 0x40 : 0;
    rounded = uint16_t(bits >> 16 | quiet);
    remainder = 0;
  } else {
    rounded = uint16_t(bits >> 16);  // toward zero: the largest floats must not become infinite
    remainder = uint16_t(std::bit_cast<uint32_t>(value - of_bfloat(rounded)) >> 16);
  }
}

struct Split {
  __m512i rounded, remainder;  // in the upper halves
};
[[NNRT_TARGET_AVX512, NNRT_KERNEL_STEP]] inline Split split(__m512 values, __m512i& largest) {
  const __m512i bits = _mm512_castps_si512(values), half = _mm512_set1_epi32(kHalfUlp);
  largest = _mm512_max_epu32(largest, _mm512_and_si512(bits, _mm512_set1_epi32(0x7fffffff)));
  const __m512i rounded = _mm512_and_si512(_mm512_add_epi32(bits, half), _mm512_set1_epi32(int(0xffff0000)));
  const __m512 rest = _mm512_sub_ps(values, _mm512_castsi512_ps(rounded));
  return {rounded, _mm512_add_epi32(_mm512_castps_si512(rest), half)};
}

// Returns the largest magnitude.
[[NNRT_TARGET_AVX512]] uint32_t split_part(const float* from, int64_t count, uint16_t* rounded,
                                           uint16_t* remainders) {
  constexpr int64_t kLanes = 16;
  alignas(64) static constexpr uint16_t kUpper[32] = {1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21,
                                                      23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43,
                                                      45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  const __m512i upper = _mm512_load_si512(kUpper);
  __m512i largest = _mm512_setzero_si512();
  for (int64_t i = 0; i < count; i += 2 * kLanes) {
    const int64_t rest = count - i;
    const auto all = uint32_t(rest >= 2 * kLanes ? ~uint32_t{0} : (uint32_t{1} << rest) - 1);
    const Split low = split(load_masked_floats(__mmask16(all), from + i), largest);
    const Split high = split(load_masked_floats(__mmask16(all >> kLanes), from + i + kLanes), largest);
    const __mmask32 stored = all | (all & 0x55555555) << 1;  // whole pairs
    store_masked_shorts(rounded + i, stored, _mm512_permutex2var_epi16(low.rounded, upper, high.rounded));
    store_masked_shorts(remainders + i, stored,
                        _mm512_permutex2var_epi16(low.remainder, upper, high.remainder));
  }
  return _mm512_reduce_max_epu32(largest);
}

}  // namespace

bool split_parts(const FloatParts& from, uint16_t* rounded, uint16_t* remainders) {
  const int64_t padded = (from.floats + 1) / 2 * 2;
  uint32_t largest = 0;
  for (int64_t part = 0; part < from.count; ++part)
    largest = std::max(largest, split_part(from.parts[part * from.step], from.floats, rounded + part * padded,
                                           remainders + part * padded));
  if (largest < kRoundsToInfinity) return true;
  for (int64_t part = 0; part < from.count; ++part)
    for (int64_t i = 0; i < from.floats; ++i)
      split_carefully(from.parts[part * from.step][i], rounded[part * padded + i],
                      remainders[part * padded + i]);
  return false;
}

namespace {
template <int Vectors>
[[NNRT_TARGET_AVX512]] void store_sums(const float* sums, int64_t rows, int64_t columns,
                                       const F32Epilogue& epilogue, int64_t at, float* to, int64_t stride) {
  const __m512 low = _mm512_set1_ps(epilogue.low), high = _mm512_set1_ps(epilogue.high);
  const __m512 other_low = _mm512_set1_ps(epilogue.other_low),
               other_high = _mm512_set1_ps(epilogue.other_high);
  const float* const other = epilogue.other;
  for (int64_t r = 0; r < rows; ++r, at += stride, sums += Vectors * kInt32Lanes) {
    for (int v = 0; v < Vectors; ++v) {
      const int64_t first = v * kInt32Lanes, place = at + first;
      const auto mask = __mmask16(columns - first >= kInt32Lanes ? 0xffff : (1 << (columns - first)) - 1);
      // A NaN is the second operand, which stays.
      __m512 result = _mm512_min_ps(high, _mm512_max_ps(low, _mm512_load_ps(sums + first)));
      if (other != nullptr) {
        result = _mm512_add_ps(result, load_masked_floats(mask, other + place));
        result = _mm512_min_ps(other_high, _mm512_max_ps(other_low, result));
      }
      store_masked_ints(to + place, mask, _mm512_castps_si512(result));
    }
  }
}
}  // namespace

void store_split_sums(const float* sums, int64_t rows, int64_t columns, const F32Epilogue& epilogue,
                      int64_t at, float* to, int64_t stride) {
  const auto store = columns > kInt32Lanes ? store_sums<2> : store_sums<1>;
  store(sums, rows, columns, epilogue, at, to, stride);
}

void sum_as_floats(const int8_t* row, int64_t pitch, int64_t rows, const int8_t* panel,
                   const TileGroups& groups, int64_t columns, const float* start, float* sums) {
  const int64_t width = columns > kInt32Lanes ? 2 * kInt32Lanes : kInt32Lanes;
  const int64_t group_bytes = 2 * groups.panel_bytes(columns) / groups.count;
  for (int64_t r = 0; r < rows; ++r, row += pitch, sums += width) {
    std::copy_n(start, width, sums);
    for (int64_t group = 0; group < groups.count; ++group) {
      const int64_t first = groups.start(group);
      for (int64_t pair = group * groups.length - first; pair < groups.length; ++pair)  // each pair once
        for (int64_t i = 0; i < 2; ++i) {
          const auto* const value = reinterpret_cast<const uint16_t*>(row) + (first + pair) * 2 + i;
          const float x = of_bfloat(*value) + of_bfloat(value[groups.piece_bytes() / 2]);
          for (int64_t c = 0; c < columns; ++c) {
            const auto* const weight =
                reinterpret_cast<const uint16_t*>(panel + group * group_bytes +
                                                  c / kInt32Lanes * groups.vector_bytes()) +
                (pair * kInt32Lanes + c % kInt32Lanes) * 2 + i;
            const int64_t remainder = width / kInt32Lanes * groups.vector_bytes() / 2;
            sums[c] += x * (of_bfloat(*weight) + of_bfloat(weight[remainder]));
          }
        }
    }
  }
}

#else

bool split_parts(const FloatParts&, uint16_t*, uint16_t*) {
  NNRT_CHECK(false, "This processor has no tiles.");
  return false;
}

#endif

}  // namespace nnrt::cpu
// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
