#include "backends/cpu/floats_block.h"

#include "backends/cpu/floats_finish.h"
#include "backends/cpu/vectors.h"

namespace nnrt::cpu {
namespace {

struct Result {
  const FloatFinish& finish;
  int columns;
  float* to;
  int64_t stride;
};

// One vector of a row, of which `columns` exist.
template <int Bytes>
[[gnu::always_inline]] inline void store_vector(Vector<Bytes> sum, const Result& result, int row,
                                                int column) {
  using V = Vector<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  const FloatFinish& finish = result.finish;
  const int64_t at = row * result.stride + column;
  const int count = result.columns - column;
  if (count >= kLanes) {
    const V bias = *reinterpret_cast<const V*>(finish.bias + column);
    *reinterpret_cast<V*>(result.to + at) =
        finished<Bytes>(sum, finish, bias, finish.other == nullptr ? nullptr : finish.other + at);
    return;
  }
  float other[kLanes] = {};
  V bias{};
  for (int i = 0; i < count; ++i) {
    bias[i] = finish.bias[column + i];
    if (finish.other != nullptr) other[i] = finish.other[at + i];
  }
  const V values = finished<Bytes>(sum, finish, bias, finish.other == nullptr ? nullptr : other);
  for (int i = 0; i < count; ++i) result.to[at + i] = values[i];
}

template <int Bytes, int Rows, int Vectors>
[[gnu::always_inline]] inline void multiply_block(const FloatRows& rows, const float* panel,
                                                  const Result& result) {
  using V = Vector<Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(float));
  V sums[Rows][Vectors] = {};
  for (int64_t tap = 0; tap < rows.taps; ++tap) {
    const float* part[Rows];
    for (int r = 0; r < Rows; ++r) part[r] = rows.parts[tap * rows.tap_rows + r];
    for (int64_t k = 0; k < rows.tap_floats; ++k, panel += Vectors * kLanes) {
      V weight[Vectors];
      for (int v = 0; v < Vectors; ++v) weight[v] = *reinterpret_cast<const V*>(panel + v * kLanes);
      for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) sums[r][v] += part[r][k] * weight[v];
    }
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < Vectors; ++v) store_vector<Bytes>(sums[r][v], result, r, v * kLanes);
}

// Finds the block of rows.count rows.
template <int Bytes, int Rows, int Vectors>
[[gnu::always_inline]] inline void multiply_rows(const FloatRows& rows, const float* panel,
                                                 const Result& result) {
  if (rows.count == Rows) return multiply_block<Bytes, Rows, Vectors>(rows, panel, result);
  if constexpr (Rows > 1) multiply_rows<Bytes, Rows - 1, Vectors>(rows, panel, result);
}

}  // namespace

void multiply_floats(int vector_bytes, const FloatRows& rows, const float* panel, const FloatFinish& finish,
                     int columns, float* to, int64_t stride) {
  const Result result{finish, columns, to, stride};
  with_vectors(
      vector_bytes, [&](auto bytes) __attribute__((always_inline)) {
        constexpr FloatBlock kBlock = float_block(bytes);
        if (columns > kBlock.lanes) return multiply_rows<bytes, kBlock.rows, 2>(rows, panel, result);
        multiply_rows<bytes, kBlock.rows, 1>(rows, panel, result);
      });
}

}  // namespace nnrt::cpu
