#include "backends/cpu/gemm/nbits/nbits_microkernel.h"

#include "backends/cpu/simd/simd.h"

#include <algorithm>
#include <cstring>

namespace nnrt::cpu {
namespace {

template <int Lanes>
struct IntegersOf {
  typedef uint8_t bytes __attribute__((vector_size(Lanes)));
  typedef int32_t words __attribute__((vector_size(Lanes * sizeof(int32_t))));
};

// The two vectors of a panel that belong to one k, or to one block.
template <int Bytes>
struct Pair {
  Vector<Bytes> low, high;
};

template <int Bytes>
[[gnu::always_inline]] inline Pair<Bytes> load_pair(const float* from) {
  return {load<Bytes>(from), load<Bytes>(from + Bytes / int(sizeof(float)))};
}

template <int Bytes, int Bits>
[[gnu::always_inline]] inline Pair<Bytes> unpacked(const uint8_t* from) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  using Words = typename IntegersOf<kLanes>::words;
  typename IntegersOf<kLanes>::bytes bytes;
  std::memcpy(&bytes, from, kLanes);
  const Words first = __builtin_convertvector(bytes, Words);
  if constexpr (Bits == 4) {
    return {__builtin_convertvector(first & 15, Vector<Bytes>),
            __builtin_convertvector(first >> 4, Vector<Bytes>)};
  } else {
    std::memcpy(&bytes, from + kLanes, kLanes);
    return {__builtin_convertvector(first, Vector<Bytes>),
            __builtin_convertvector(__builtin_convertvector(bytes, Words), Vector<Bytes>)};
  }
}

// The elements [begin, end) that share scales, one for each column.
template <typename F>
[[gnu::always_inline]] inline void for_blocks(const NbitsPanels& panels, int64_t panel, const F& f) {
  const float* scales = panels.scales(panel);
  const float* zero_points = panels.zero_points(panel);
  for (int64_t begin = 0; begin < panels.inner; begin += panels.block) {
    f(begin, std::min(begin + panels.block, panels.inner), scales, zero_points);
    scales += panels.width;
    zero_points += panels.width;
  }
}

template <int Bytes, int Bits, int Rows>
[[gnu::always_inline]] inline void multiply_rows(const NbitsPanels& panels, int64_t panel, const float* rows,
                                                 int64_t step, float* sums) {
  constexpr int kWidth = 2 * Bytes / int(sizeof(float)), kRowBytes = kWidth * Bits / 8;
  const uint8_t* const values = panels.values(panel);
  Pair<Bytes> total[Rows] = {};
  for_blocks(
      panels, panel,
      [&](int64_t begin, int64_t end, const float* scales, const float* zero_points)
          __attribute__((always_inline)) {
            const Pair<Bytes> zero = load_pair<Bytes>(zero_points), scale = load_pair<Bytes>(scales);
            Pair<Bytes> sum[Rows] = {};
            for (int64_t k = begin; k < end; ++k) {
              Pair<Bytes> weight = unpacked<Bytes, Bits>(values + k * kRowBytes);
              weight.low -= zero.low;
              weight.high -= zero.high;
              for (int r = 0; r < Rows; ++r) {
                sum[r].low += rows[r * step + k] * weight.low;
                sum[r].high += rows[r * step + k] * weight.high;
              }
            }
            for (int r = 0; r < Rows; ++r) {
              total[r].low += scale.low * sum[r].low;
              total[r].high += scale.high * sum[r].high;
            }
          });
  for (int r = 0; r < Rows; ++r, sums += kWidth) {
    store<Bytes>(sums, total[r].low);
    store<Bytes>(sums + kWidth / 2, total[r].high);
  }
}

// Finds the loop of `count` rows, which are as many or fewer.
template <int Bytes, int Bits, int Rows>
[[gnu::always_inline]] inline void multiply(const NbitsPanels& panels, int64_t panel, const float* rows,
                                            int64_t step, int count, float* sums) {
  if (count == Rows) return multiply_rows<Bytes, Bits, Rows>(panels, panel, rows, step, sums);
  if constexpr (Rows > 1) multiply<Bytes, Bits, Rows - 1>(panels, panel, rows, step, count, sums);
}

template <int Bytes, int Bits>
[[gnu::always_inline]] inline void dequantize(const NbitsPanels& panels, int64_t panel, float* to) {
  constexpr int kLanes = Bytes / int(sizeof(float));
  const uint8_t* const values = panels.values(panel);
  const bool is_wide = panels.columns_of(panel) > kLanes;
  for_blocks(
      panels, panel,
      [&](int64_t begin, int64_t end, const float* scales, const float* zero_points)
          __attribute__((always_inline)) {
            const Pair<Bytes> zero = load_pair<Bytes>(zero_points), scale = load_pair<Bytes>(scales);
            for (int64_t k = begin; k < end; ++k) {
              const Pair<Bytes> weight = unpacked<Bytes, Bits>(values + k * panels.row_bytes());
              store<Bytes>(to, scale.low * (weight.low - zero.low));
              to += kLanes;
              if (!is_wide) continue;
              store<Bytes>(to, scale.high * (weight.high - zero.high));
              to += kLanes;
            }
          });
}

// Calls f with the constants of the loops that are compiled.
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
      width(f32_block(vector_bytes).columns) {}

int64_t NbitsPanels::columns_of(int64_t panel) const {
  return std::min<int64_t>(width, columns - panel * width);
}

// Whole vectors, so that the floats of all panels are aligned.
size_t NbitsPanels::panel_bytes() const {
  const size_t floats = size_t(2 * blocks() * width) * sizeof(float);
  constexpr size_t kAlignment = 64;
  return (floats + size_t(inner * row_bytes()) + kAlignment - 1) / kAlignment * kAlignment;
}

const float* NbitsPanels::scales(int64_t panel) const {
  return reinterpret_cast<const float*>(memory + size_t(panel) * panel_bytes());
}
const float* NbitsPanels::zero_points(int64_t panel) const { return scales(panel) + blocks() * width; }
const uint8_t* NbitsPanels::values(int64_t panel) const {
  return reinterpret_cast<const uint8_t*>(zero_points(panel) + blocks() * width);
}

void pack_nbits(const NbitsPanels& panels, const NbitsWeights& weights, int64_t panel, std::byte* to) {
  to += size_t(panel) * panels.panel_bytes();
  std::memset(to, 0, panels.panel_bytes());
  const int64_t blocks = panels.blocks(), width = panels.width;
  auto* const scales = reinterpret_cast<float*>(to);
  auto* const values = reinterpret_cast<uint8_t*>(scales + 2 * blocks * width);
  for (int64_t c = 0; c < panels.columns_of(panel); ++c) {
    const int64_t column = panel * width + c;
    for (int64_t b = 0; b < blocks; ++b) {
      scales[b * width + c] = weights.scales[column * blocks + b];
      scales[(blocks + b) * width + c] = weights.zero_points[column * blocks + b];
    }
    const bool is_upper = panels.bits == 4 && c >= width / 2;
    uint8_t* const first = values + (is_upper ? c - width / 2 : c);
    for (int64_t k = 0; k < panels.inner; ++k)
      first[k * panels.row_bytes()] |= uint8_t(element_at(weights, column, k) << (is_upper ? 4 : 0));
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
