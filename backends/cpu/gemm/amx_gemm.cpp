#include "backends/cpu/gemm/amx_gemm.h"

#include "backends/cpu/simd/transpose.h"

#include <cstring>
#include <numeric>
#include <vector>

namespace nnrt::cpu {
namespace {

// The weights of a vector of columns: rows of `step` bytes, in whole quads.
struct ColumnRows {
  const int8_t* data;
  int64_t step, columns;
};

// Packs a vector of columns; its tiles are `step` bytes apart.
void pack_tiles(const ColumnRows& from, const TileGroups& groups, int64_t step, int8_t* to) {
  for (int64_t group = 0; group < groups.count; ++group, to += step) {
    const int64_t start = groups.start(group);
    // Quads of consecutive weights are transposed as if they were floats.
    const TransposedRows quads{reinterpret_cast<const float*>(from.data) + start, from.step / kDotDepth,
                               from.columns, groups.length};
    const auto transpose = [&](auto bytes) __attribute__((always_inline)) {
      transpose_rows<decltype(bytes)::value>(quads, kInt32Lanes, reinterpret_cast<float*>(to));
    };
    with_vectors(vector_bytes(), transpose);
    const int64_t again = group * groups.length - start;  // quads that the group before it has
    std::memset(to, 0, size_t(again * kInt32Lanes * kDotDepth));
  }
}

// Columns as rows of whole quads: in place if they are stored like that, otherwise copied.
class ColumnSource {
 public:
  explicit ColumnSource(const GemmProblem& gemm)
      : gemm_(gemm),
        row_bytes_(row_quads(gemm) * kDotDepth),
        copies_(!gemm.columns_first || row_bytes_ != gemm.inner()) {
    if (copies_) copy_.resize(size_t(row_bytes_ * kInt32Lanes));
  }

  ColumnRows columns(const int8_t* weights, int64_t first, int64_t count) {
    if (!copies_) return {weights + first * row_bytes_, row_bytes_, count};
    const int64_t column_step = gemm_.columns_first ? gemm_.inner() : 1;
    const int64_t step = gemm_.columns_first ? 1 : gemm_.columns;
    const int64_t tap_bytes = row_bytes_ / gemm_.taps;
    for (int64_t column = 0; column < count; ++column)
      for (int64_t tap = 0; tap < gemm_.taps; ++tap) {
        const int8_t* const from = weights + (first + column) * column_step + tap * gemm_.tap_elements * step;
        int8_t* const to = copy_.data() + column * row_bytes_ + tap * tap_bytes;
        for (int64_t k = 0; k < gemm_.tap_elements; ++k) to[k] = from[k * step];
      }
    return {copy_.data(), row_bytes_, count};
  }

 private:
  const GemmProblem& gemm_;
  int64_t row_bytes_;
  bool copies_;
  std::vector<int8_t> copy_;  // the padding of parts stays 0
};

}  // namespace

int64_t amx_group_bytes(const GemmProblem& gemm) {
  const TileGroups groups(row_quads(gemm));
  return divide_up(gemm.columns, kInt32Lanes) * groups.count * groups.vector_bytes();
}

void pack_amx_weights(const GemmProblem& gemm, const int8_t* weights, ThreadPool& pool, int8_t* to,
                      std::span<int32_t> sums) {
  const TileGroups groups(row_quads(gemm));
  const int64_t vectors = divide_up(gemm.columns, kInt32Lanes);
  pool.parallel_for(
      gemm.groups * vectors, 1 + (1 << 17) / groups.panel_bytes(1), [&](int64_t begin, int64_t end) {
        ColumnSource source(gemm);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t group = i / vectors, vector = i % vectors, first = vector * kInt32Lanes;
          const int64_t count = std::min<int64_t>(gemm.columns - first, kInt32Lanes);
          const ColumnRows columns =
              source.columns(weights + group * gemm.columns * gemm.inner(), first, count);
          for (int64_t column = 0; column < count; ++column) {
            const int8_t* const values = columns.data + column * columns.step;
            sums[size_t(group * gemm.columns + first + column)] =
                std::accumulate(values, values + columns.step, int32_t{0});
          }
          // A panel has two vectors, unless it is the last one.
          const int64_t panel = vector / 2, in_panel = vector % 2;
          const bool is_wide = vectors - panel * 2 > 1;
          pack_tiles(columns, groups, (is_wide ? 2 : 1) * groups.vector_bytes(),
                     to + group * amx_group_bytes(gemm) + panel * groups.panel_bytes(kInt8PanelColumns) +
                         in_panel * groups.vector_bytes());
        }
      });
}

}  // namespace nnrt::cpu
