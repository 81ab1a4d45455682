#include "backends/cpu/gemm/nbits/nbits_microkernel.h"

#include "backends/cpu/simd/half_vectors.h"

#include <algorithm>
#include <cstring>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

template <int Bytes>
struct BytesOf {
  typedef uint8_t type __attribute__((vector_size(Bytes / 4)));
};

// A panel's two vectors.
template <int Bytes>
struct Pair {
  Vector<Bytes> low, high;
};
template <int Bytes>
struct Words {
  Ints<Bytes> low, high;
};

template <int Bytes>
NNRT_INLINE Ints<Bytes> load_words(const std::byte* from) {
  Ints<Bytes> words;
  std::memcpy(&words, from, Bytes);
  return words;
}

template <int Bytes>
NNRT_INLINE Pair<Bytes> load_scales(const NbitsPanels& panels, const std::byte* from) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  if (panels.form.half_scales) {
    const auto* const halves = reinterpret_cast<const uint16_t*>(from);
    return {load_halves<Bytes>(halves), load_halves<Bytes>(halves + kLanes)};
  }
  const auto* const floats = reinterpret_cast<const float*>(from);
  return {load<Bytes>(floats), load<Bytes>(floats + kLanes)};
}

// The middle of the range minus the zero points.
template <int Bytes>
NNRT_INLINE Vector<Bytes> load_offset(const NbitsPanels& panels, const std::byte* zeros) {
  typename BytesOf<Bytes>::type bytes;
  std::memcpy(&bytes, zeros, Bytes / 4);
  return __builtin_convertvector(panels.middle() - __builtin_convertvector(bytes, Ints<Bytes>),
                                 Vector<Bytes>);
}
template <int Bytes>
NNRT_INLINE Pair<Bytes> load_offsets(const NbitsPanels& panels, const std::byte* block) {
  if (panels.form.centered) return {Vector<Bytes>{}, Vector<Bytes>{}};
  const std::byte* const zeros = block + panels.scale_bytes();
  return {load_offset<Bytes>(panels, zeros), load_offset<Bytes>(panels, zeros + Bytes / 4)};
}

// k of the n-th element of a word, counted from its lowest bits.
template <int Bits>
constexpr int k_of(int n) {
  return Bits == 8 ? n : n % 2 * 4 + n / 2;
}

// The n-th elements of words, minus the middle.
template <int Bytes, int Bits>
NNRT_INLINE Vector<Bytes> element(Ints<Bytes> words, int n) {
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (Bytes == 64 && Bits == 4) {
    // The permutation ignores all but the lowest 4 bits of each lane.
    const Vector<64> table{0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1};
    return __builtin_shuffle(table, words >> Bits * n);
  }
#endif
  return __builtin_convertvector(words << (32 - Bits - Bits * n) >> (32 - Bits), Vector<Bytes>);
}

// Sums of independent products hide the latency of additions.
constexpr int chains_of(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

template <int Bytes, int Bits, int Rows, bool Centered>
NNRT_INLINE void multiply_rows(const NbitsPanels& panels, int64_t panel, const NbitsRows& rows, float* sums) {
  constexpr int kLanes = Bytes / int(sizeof(float)), kDepth = 32 / Bits, kChains = chains_of(Rows);
  const std::byte* block = panels.block_at(panel, 0);
  const int64_t blocks = panels.blocks(), step = rows.step,
                head = int64_t(panels.scale_bytes() + panels.zero_bytes());
  Pair<Bytes> total[Rows] = {};
  for (int64_t b = 0; b < blocks; ++b, block += panels.block_bytes()) {
    const int64_t begin = b * panels.block, end = std::min(begin + panels.block, panels.inner);
    const std::byte* words = block + head;
    const Pair<Bytes> scale = load_scales<Bytes>(panels, block), offset = load_offsets<Bytes>(panels, block);
    Pair<Bytes> sum[Rows][kChains] = {};
    const auto add = [&](const Words<Bytes>& word, int n, int64_t k) __attribute__((always_inline)) {
      Vector<Bytes> low = element<Bytes, Bits>(word.low, n), high = element<Bytes, Bits>(word.high, n);
      if constexpr (!Centered) {
        low += offset.low;
        high += offset.high;
      }
      for (int r = 0; r < Rows; ++r) {
        sum[r][n % kChains].low += rows.data[r * step + k] * low;
        sum[r][n % kChains].high += rows.data[r * step + k] * high;
      }
    };
    int64_t k = begin;
    for (; k + kDepth <= end; k += kDepth, words += 2 * Bytes) {
      const Words<Bytes> word{load_words<Bytes>(words), load_words<Bytes>(words + Bytes)};
#pragma GCC unroll 8
      for (int n = 0; n < kDepth; ++n) add(word, n, k + k_of<Bits>(n));
    }
    if (k < end) {
      const Words<Bytes> word{load_words<Bytes>(words), load_words<Bytes>(words + Bytes)};
#pragma GCC unroll 8
      for (int n = 0; n < kDepth; ++n)
        if (k + k_of<Bits>(n) < end) add(word, n, k + k_of<Bits>(n));
    }
    for (int r = 0; r < Rows; ++r) {
      for (int chain = 1; chain < kChains; ++chain) {
        sum[r][0].low += sum[r][chain].low;
        sum[r][0].high += sum[r][chain].high;
      }
      total[r].low += scale.low * sum[r][0].low;
      total[r].high += scale.high * sum[r][0].high;
    }
  }
  for (int r = 0; r < Rows; ++r, sums += 2 * kLanes) {
    store<Bytes>(sums, total[r].low);
    store<Bytes>(sums + kLanes, total[r].high);
  }
}

// Dispatches to the instantiation for rows.count rows, at most `Rows`.
template <int Bytes, int Bits, int Rows>
void multiply(const NbitsPanels& panels, int64_t panel, const NbitsRows& rows, float* sums) {
  if constexpr (Rows > 1) {
    if (rows.count < Rows) return multiply<Bytes, Bits, Rows - 1>(panels, panel, rows, sums);
  }
  with_vectors_of<Bytes>([&](auto bytes) __attribute__((always_inline)) {
    if (panels.form.centered) {
      multiply_rows<bytes, Bits, Rows, true>(panels, panel, rows, sums);
    } else {
      multiply_rows<bytes, Bits, Rows, false>(panels, panel, rows, sums);
    }
  });
}

template <int Bytes, int Bits>
NNRT_INLINE void dequantize(const NbitsPanels& panels, int64_t panel, int64_t first, int64_t last,
                            float* to) {
  constexpr int kLanes = Bytes / int(sizeof(float)), kDepth = 32 / Bits;
  const bool has_high = panels.columns_of(panel) > kLanes;
  const int64_t row = has_high ? 2 * kLanes : kLanes;
  for (int64_t b = first; b < last; ++b) {
    const std::byte* const block = panels.block_at(panel, b);
    const std::byte* words = block + panels.scale_bytes() + panels.zero_bytes();
    const Pair<Bytes> scale = load_scales<Bytes>(panels, block), offset = load_offsets<Bytes>(panels, block);
    const int64_t length = std::min(panels.block, panels.inner - b * panels.block);
    for (int64_t k = 0; k < length; k += kDepth, words += 2 * Bytes, to += kDepth * row) {
      const Words<Bytes> word{load_words<Bytes>(words), load_words<Bytes>(words + Bytes)};
#pragma GCC unroll 8
      for (int n = 0; n < kDepth; ++n) {
        if (k + k_of<Bits>(n) >= length) continue;
        float* const line = to + k_of<Bits>(n) * row;
        store<Bytes>(line, scale.low * (element<Bytes, Bits>(word.low, n) + offset.low));
        if (has_high)
          store<Bytes>(line + kLanes, scale.high * (element<Bytes, Bits>(word.high, n) + offset.high));
      }
    }
    to -= (round_up(length, kDepth) - length) * row;  // the last step may be shorter
  }
}

template <int Bits>
void multiply_with(int vector_bytes, const NbitsPanels& panels, int64_t panel, const NbitsRows& rows,
                   float* sums) {
#if defined(__x86_64__)
  if (vector_bytes == 64) return multiply<64, Bits, kMaxNbitsRows>(panels, panel, rows, sums);
  if (vector_bytes == 32) return multiply<32, Bits, kMaxNbitsRows>(panels, panel, rows, sums);
#endif
  static_cast<void>(vector_bytes);
  multiply<16, Bits, kMaxNbitsRows>(panels, panel, rows, sums);
}

}  // namespace

void nbits_products(int vector_bytes, const NbitsPanels& panels, int64_t panel, const NbitsRows& rows,
                    float* sums) {
  if (panels.bits == 8) return multiply_with<8>(vector_bytes, panels, panel, rows, sums);
  multiply_with<4>(vector_bytes, panels, panel, rows, sums);
}

void dequantize_blocks(int vector_bytes, const NbitsPanels& panels, int64_t panel, int64_t first,
                       int64_t last, float* to) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        if (panels.bits == 8) {
          dequantize<bytes, 8>(panels, panel, first, last, to);
        } else {
          dequantize<bytes, 4>(panels, panel, first, last, to);
        }
      });
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
