#include "backends/cpu/gemm/half/half_microkernel.h"

#include "backends/cpu/simd/half_vectors.h"
#include "core/base/fp16.h"

#include <algorithm>
#include <utility>

// Products of counters within a tile fit in 32 bits.
// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result)
namespace nnrt::cpu {
namespace {

template <int Bytes, bool Bfloat>
NNRT_INLINE Vector<Bytes> load_widened(const uint16_t* from) {
  if constexpr (Bfloat) {
    return load_bfloats<Bytes>(from);
  } else {
    return load_halves<Bytes>(from);
  }
}

// Multiplies `Panels` panels at once, because one row alone has too few independent sums to hide the latency
// of additions.
template <int Bytes, bool Bfloat, int Rows, int Panels, int Vectors>
NNRT_INLINE void multiply_panels(const HalfRows& rows, const uint16_t* panel, float* sums,
                                 int64_t sum_stride) {
  constexpr int kLanes = Bytes / int(sizeof(float)), kWidth = Vectors * kLanes;
  const int64_t panel_step = rows.inner * kWidth;
  Vector<Bytes> sum[Rows][Panels * Vectors] = {};
  const float* const x = rows.data;
  const int64_t step = rows.step;
  for (int64_t k = 0; k < rows.inner; ++k, panel += kWidth) {
    Vector<Bytes> weight[Panels * Vectors];
    for (int p = 0; p < Panels; ++p)
      for (int v = 0; v < Vectors; ++v)
        weight[p * Vectors + v] = load_widened<Bytes, Bfloat>(panel + p * panel_step + v * kLanes);
    for (int r = 0; r < Rows; ++r)
      for (int i = 0; i < Panels * Vectors; ++i)
        sum[r][i] = multiply_add<Bytes>(x[r * step + k], weight[i], sum[r][i]);
  }
  for (int r = 0; r < Rows; ++r)
    for (int i = 0; i < Panels * Vectors; ++i) store<Bytes>(sums + r * sum_stride + i * kLanes, sum[r][i]);
}

// One function per block: compilers generate better code than for a generic one.
using BlockFunction = void (*)(const HalfRows& rows, const uint16_t* panel, float* sums, int64_t sum_stride);
template <int Bytes, bool Bfloat, int Rows, int Panels, int Vectors>
void block_function(const HalfRows& rows, const uint16_t* panel, float* sums, int64_t sum_stride) {
  with_vectors_of<Bytes>([&](auto bytes) __attribute__((always_inline)) {
    multiply_panels<bytes, Bfloat, Rows, Panels, Vectors>(rows, panel, sums, sum_stride);
  });
}

constexpr int kMostPanels = 4;
constexpr int panels_at_once(int64_t rows) { return rows == 1 ? kMostPanels : rows == 2 ? 2 : 1; }

struct BlockFunctions {
  BlockFunction many[kMaxFloatRows];    // panels_at_once() panels
  BlockFunction one[kMaxFloatRows][2];  // one panel of one or two vectors
};
template <int Bytes, bool Bfloat, int... Rows>
constexpr BlockFunctions block_functions(std::integer_sequence<int, Rows...>) {
  return {
      {block_function<Bytes, Bfloat, Rows + 1, panels_at_once(Rows + 1), 2>...},
      {{block_function<Bytes, Bfloat, Rows + 1, 1, 1>, block_function<Bytes, Bfloat, Rows + 1, 1, 2>}...}};
}
template <int Bytes, bool Bfloat>
constexpr BlockFunctions kBlockFunctions =
    block_functions<Bytes, Bfloat>(std::make_integer_sequence<int, f32_block(Bytes).rows>{});

template <bool Bfloat>
const BlockFunctions& functions_of(int vector_bytes) {
#if defined(__x86_64__)
  if (vector_bytes == 64) return kBlockFunctions<64, Bfloat>;
  if (vector_bytes == 32) return kBlockFunctions<32, Bfloat>;
#endif
  static_cast<void>(vector_bytes);
  return kBlockFunctions<16, Bfloat>;
}

const BlockFunctions& functions_for(int vector_bytes, bool bfloat) {
  return bfloat ? functions_of<true>(vector_bytes) : functions_of<false>(vector_bytes);
}

// Per form: lanes with all bits set if their values are representable.
template <int Bytes>
struct Representable {
  Ints<Bytes> half, bfloat, rounded;
};
template <int Bytes>
NNRT_INLINE void check(Vector<Bytes> value, Representable<Bytes>& all) {
  constexpr int32_t kLargestHalf = 0x477fe000, kRoundsToInfinity = 0x477ff000, kSmallestNormal = 0x38800000;
  const Ints<Bytes> bits = __builtin_bit_cast(Ints<Bytes>, value), magnitude = bits & 0x7fffffff;
  const Vector<Bytes> size = __builtin_bit_cast(Vector<Bytes>, magnitude);
  // The ulp of 0.5 is the smallest half, so multiples of it survive this addition.
  const Ints<Bytes> is_multiple = (size + 0.5f) - 0.5f == size;
  const Ints<Bytes> is_normal = magnitude >= kSmallestNormal;
  const Ints<Bytes> is_short = ((bits & 0x1fff) == 0) & (magnitude <= kLargestHalf);
  all.half &= (is_normal & is_short) | (~is_normal & is_multiple);
  all.bfloat &= (bits & 0xffff) == 0;
  all.rounded &= magnitude < kRoundsToInfinity;
}

template <int Bytes>
NNRT_INLINE bool is_all(const Ints<Bytes>& lanes) {
  int32_t all = -1;
  for (int i = 0; i < Bytes / int(sizeof(int32_t)); ++i) all &= lanes[i];
  return all != 0;
}

}  // namespace

uint32_t half_forms_of(int vector_bytes, const float* values, int64_t count) {
  uint32_t forms = 0;
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        Representable<bytes> all{~Ints<bytes>{}, ~Ints<bytes>{}, ~Ints<bytes>{}};
        int64_t i = 0;
        for (; i + kLanes <= count; i += kLanes) check<bytes>(load<bytes>(values + i), all);
        Vector<bytes> rest{};
        for (int64_t k = i; k < count; ++k) rest[k - i] = values[k];
        check<bytes>(rest, all);
        forms = (is_all<bytes>(all.half) ? kExactHalf : 0) | (is_all<bytes>(all.bfloat) ? kExactBfloat : 0) |
                (is_all<bytes>(all.rounded) ? kRoundedHalf : 0);
      });
  return forms;
}

void narrow_to_half(int vector_bytes, bool bfloat, const float* from, int64_t count, uint16_t* to) {
  with_vectors(
      vector_bytes, [&](auto) __attribute__((always_inline)) {
        if (bfloat) {
          for (int64_t i = 0; i < count; ++i) to[i] = uint16_t(__builtin_bit_cast(uint32_t, from[i]) >> 16);
        } else {
          for (int64_t i = 0; i < count; ++i) to[i] = to_half(from[i]).bits;
        }
      });
}

void widen_half(int vector_bytes, bool bfloat, const uint16_t* from, int64_t count, float* to) {
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr int64_t kLanes = bytes / int64_t(sizeof(float));
        if (bfloat) {
          for (int64_t i = 0; i + kLanes <= count; i += kLanes)
            store<bytes>(to + i, load_bfloats<bytes>(from + i));
        } else {
          for (int64_t i = 0; i + kLanes <= count; i += kLanes)
            store<bytes>(to + i, load_halves<bytes>(from + i));
        }
      });
}

void half_products(int vector_bytes, const HalfRows& rows, const HalfPanels& panels, float* sums,
                   int64_t sum_stride) {
  const BlockFunctions& functions = functions_for(vector_bytes, panels.bfloat);
  const int64_t width = panels.vectors * int64_t(f32_block(vector_bytes).lanes);
  const int at_once = panels.vectors == 2 ? panels_at_once(rows.count) : 1;
  int64_t panel = 0;
  for (; at_once > 1 && panel + at_once <= panels.count; panel += at_once)
    functions.many[rows.count - 1](rows, panels.data + panel * rows.inner * width, sums + panel * width,
                                   sum_stride);
  for (; panel < panels.count; ++panel)
    functions.one[rows.count - 1][panels.vectors - 1](rows, panels.data + panel * rows.inner * width,
                                                      sums + panel * width, sum_stride);
}

}  // namespace nnrt::cpu

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
