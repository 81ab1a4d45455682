#include "backends/cpu/gemm/nbits/nbits_microkernel.h"

#include "backends/cpu/simd/simd.h"
#include "backends/cpu/simd/vector_math.h"

#include <algorithm>
#include <cstring>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

// A panel's two vectors for one k or one block.
template <int Bytes>
struct Pair {
  Vector<Bytes> low, high;
};

template <int Bytes>
[[gnu::always_inline]] inline Pair<Bytes> load_pair(const float* from) {
  return {load<Bytes>(from), load<Bytes>(from + Bytes / int(sizeof(float)))};
}

template <int Bytes>
[[gnu::always_inline]] inline Ints<Bytes> load_words(const uint32_t* from) {
  Ints<Bytes> words;
  std::memcpy(&words, from, Bytes);
  return words;
}

// The elements of the i-th k in a vector of words, minus their zero points.
template <int Bytes, int Bits>
[[gnu::always_inline]] inline Pair<Bytes> unpacked(Ints<Bytes> words, int i, const Pair<Bytes>& zero) {
  constexpr int kMask = (1 << Bits) - 1;
  const Ints<Bytes> low = words >> 2 * i * Bits & kMask, high = words >> (2 * i + 1) * Bits & kMask;
  return {__builtin_convertvector(low, Vector<Bytes>) - zero.low,
          __builtin_convertvector(high, Vector<Bytes>) - zero.high};
}

// Calls f(k, element pair) for all k of a block, whose words start at `words`.
template <int Bytes, int Bits, typename F>
[[gnu::always_inline]] inline void for_elements(const uint32_t* words, int64_t begin, int64_t end,
                                                const Pair<Bytes>& zero, const F& f) {
  constexpr int kDepth = 16 / Bits, kLanes = Bytes / int(sizeof(uint32_t));
  int64_t k = begin;
  for (; k + kDepth <= end; k += kDepth, words += kLanes) {
    const Ints<Bytes> whole = load_words<Bytes>(words);
    for (int i = 0; i < kDepth; ++i) f(k + i, unpacked<Bytes, Bits>(whole, i, zero));
  }
  if (k == end) return;
  const Ints<Bytes> last = load_words<Bytes>(words);
  for (int i = 0; k < end; ++i, ++k) f(k, unpacked<Bytes, Bits>(last, i, zero));
}

// Calls f(words, begin, end, scale, zero point) for each block of elements [begin, end).
template <int Bytes, typename F>
[[gnu::always_inline]] inline void for_blocks(const NbitsPanels& panels, int64_t panel, const F& f) {
  const float* scales = panels.scales(panel);
  const float* zero_points = panels.zero_points(panel);
  const uint32_t* words = panels.words(panel);
  for (int64_t begin = 0; begin < panels.inner; begin += panels.block) {
    f(words, begin, std::min(begin + panels.block, panels.inner), load_pair<Bytes>(scales),
      load_pair<Bytes>(zero_points));
    scales += panels.width();
    zero_points += panels.width();
    words += panels.block_words() * panels.lanes;
  }
}

template <int Bytes, int Bits, int Rows>
[[gnu::always_inline]] inline void multiply_rows(const NbitsPanels& panels, int64_t panel, const float* rows,
                                                 int64_t step, float* sums) {
  using P = Pair<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  P total[Rows] = {};
  const auto add_block = [&](const uint32_t* words, int64_t begin, int64_t end, const P& scale, const P& zero)
      __attribute__((always_inline)) {
    P sum[Rows] = {};
    for_elements<Bytes, Bits>(
        words, begin, end, zero, [&](int64_t k, const P& weight) __attribute__((always_inline)) {
          for (int r = 0; r < Rows; ++r) {
            sum[r].low += rows[r * step + k] * weight.low;
            sum[r].high += rows[r * step + k] * weight.high;
          }
        });
    for (int r = 0; r < Rows; ++r) {
      total[r].low += scale.low * sum[r].low;
      total[r].high += scale.high * sum[r].high;
    }
  };
  for_blocks<Bytes>(panels, panel, add_block);
  for (int r = 0; r < Rows; ++r, sums += 2 * kLanes) {
    store<Bytes>(sums, total[r].low);
    store<Bytes>(sums + kLanes, total[r].high);
  }
}

// Dispatches to the instantiation for `count` rows, at most `Rows`.
template <int Bytes, int Bits, int Rows>
[[gnu::always_inline]] inline void multiply(const NbitsPanels& panels, int64_t panel, const float* rows,
                                            int64_t step, int count, float* sums) {
  if (count == Rows) return multiply_rows<Bytes, Bits, Rows>(panels, panel, rows, step, sums);
  if constexpr (Rows > 1) multiply<Bytes, Bits, Rows - 1>(panels, panel, rows, step, count, sums);
}

template <int Bytes, int Bits>
[[gnu::always_inline]] inline void dequantize(const NbitsPanels& panels, int64_t panel, float* to) {
  using P = Pair<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  const int64_t row = panels.columns_of(panel) > kLanes ? 2 * kLanes : kLanes;
  const auto write_block = [&](const uint32_t* words, int64_t begin, int64_t end, const P& scale,
                               const P& zero) __attribute__((always_inline)) {
    for_elements<Bytes, Bits>(
        words, begin, end, zero, [&](int64_t k, const P& weight) __attribute__((always_inline)) {
          store<Bytes>(to + k * row, scale.low * weight.low);
          if (row > kLanes) store<Bytes>(to + k * row + kLanes, scale.high * weight.high);
        });
  };
  for_blocks<Bytes>(panels, panel, write_block);
}

// Calls f with the constants of the instantiated loops.
template <typename F>
void with_bits(int vector_bytes, int64_t bits, const F& f) {
  if (bits == 8) {
    with_vectors(
        vector_bytes, [&](auto bytes)
                          __attribute__((always_inline)) { f(bytes, std::integral_constant<int, 8>{}); });
  } else {
    with_vectors(
        vector_bytes, [&](auto bytes)
                          __attribute__((always_inline)) { f(bytes, std::integral_constant<int, 4>{}); });
  }
}

uint8_t element_at(const NbitsWeights& weights, int64_t column, int64_t k) {
  if (weights.bits == 8) return weights.values[column * weights.inner + k];
  const uint8_t pair = weights.values[column * ((weights.inner + 1) / 2) + k / 2];
  return uint8_t(k % 2 == 0 ? pair & 15 : pair >> 4);
}

}  // namespace

NbitsPanels::NbitsPanels(const NbitsWeights& weights, int vector_bytes)
    : columns(weights.columns),
      inner(weights.inner),
      bits(weights.bits),
      block(weights.block),
      lanes(f32_block(vector_bytes).lanes) {}

int64_t NbitsPanels::columns_of(int64_t panel) const { return std::min(width(), columns - panel * width()); }

size_t NbitsPanels::panel_bytes() const {
  return size_t(blocks() * (2 * width() + block_words() * lanes)) * sizeof(uint32_t);
}

const float* NbitsPanels::scales(int64_t panel) const {
  return reinterpret_cast<const float*>(memory + size_t(panel) * panel_bytes());
}
const float* NbitsPanels::zero_points(int64_t panel) const { return scales(panel) + blocks() * width(); }
const uint32_t* NbitsPanels::words(int64_t panel) const {
  return reinterpret_cast<const uint32_t*>(zero_points(panel) + blocks() * width());
}

void pack_nbits(const NbitsPanels& panels, const NbitsWeights& weights, int64_t panel, std::byte* to) {
  to += size_t(panel) * panels.panel_bytes();
  std::memset(to, 0, panels.panel_bytes());
  const int64_t blocks = panels.blocks(), width = panels.width(), lanes = panels.lanes;
  auto* const scales = reinterpret_cast<float*>(to);
  auto* const words = reinterpret_cast<uint32_t*>(scales + 2 * blocks * width);
  for (int64_t c = 0; c < panels.columns_of(panel); ++c) {
    const int64_t column = panel * width + c, half = c / lanes;
    for (int64_t b = 0; b < blocks; ++b) {
      scales[b * width + c] = weights.scales[column * blocks + b];
      scales[(blocks + b) * width + c] = weights.zero_points[column * blocks + b];
    }
    for (int64_t k = 0; k < panels.inner; ++k) {
      const int64_t of_block = k % panels.block;
      const int64_t vector = k / panels.block * panels.block_words() + of_block / panels.depth();
      const int64_t shift = (2 * (of_block % panels.depth()) + half) * panels.bits;
      words[vector * lanes + c % lanes] |= uint32_t{element_at(weights, column, k)} << shift;
    }
  }
}

void nbits_products(int vector_bytes, const NbitsPanels& panels, int64_t panel, const float* rows,
                    int64_t step, int count, float* sums) {
  with_bits(
      vector_bytes, panels.bits, [&](auto bytes, auto bits) __attribute__((always_inline)) {
        multiply<bytes, bits, kMaxNbitsRows>(panels, panel, rows, step, count, sums);
      });
}

void dequantize_panel(int vector_bytes, const NbitsPanels& panels, int64_t panel, float* to) {
  with_bits(
      vector_bytes, panels.bits, [&](auto bytes, auto bits) __attribute__((always_inline)) {
        dequantize<bytes, bits>(panels, panel, to);
      });
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
