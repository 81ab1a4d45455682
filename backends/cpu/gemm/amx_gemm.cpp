#include "backends/cpu/gemm/amx_gemm.h"

#include "backends/cpu/simd/transpose.h"

#include <atomic>
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

// The floats of columns, split, as rows of whole pairs.
class SplitColumns {
 public:
  explicit SplitColumns(const GemmProblem& gemm)
      : gemm_(gemm),
        row_bytes_(row_pairs(gemm) * kDotDepth),
        column_(size_t(gemm.inner())),
        parts_(size_t(gemm.taps)),
        pieces_(size_t(2 * kInt32Lanes * row_bytes_) / sizeof(uint16_t)) {
    for (int64_t tap = 0; tap < gemm.taps; ++tap)
      parts_[size_t(tap)] = column_.data() + tap * gemm.tap_elements;
  }

  // Returns whether all floats are finite.
  bool split(const float* weights, int64_t first, int64_t count) {
    const int64_t column_step = gemm_.columns_first ? gemm_.inner() : 1;
    const int64_t step = gemm_.columns_first ? 1 : gemm_.columns;
    bool is_finite = true;
    for (int64_t c = 0; c < count; ++c) {
      const float* const from = weights + (first + c) * column_step;
      for (int64_t k = 0; k < gemm_.inner(); ++k) column_[size_t(k)] = from[k * step];
      uint16_t* const to = pieces_.data() + c * row_bytes_ / 2;
      is_finite &= split_parts({parts_.data(), 1, gemm_.taps, gemm_.tap_elements}, to,
                               to + kInt32Lanes * row_bytes_ / 2);
    }
    return is_finite;
  }
  // The rounded floats are piece 0, the remainders piece 1.
  ColumnRows piece(int64_t piece, int64_t count) const {
    const auto* const bytes = reinterpret_cast<const int8_t*>(pieces_.data());
    return {bytes + piece * kInt32Lanes * row_bytes_, row_bytes_, count};
  }

 private:
  const GemmProblem& gemm_;
  int64_t row_bytes_;
  std::vector<float> column_;
  std::vector<const float*> parts_;
  std::vector<uint16_t> pieces_;
};

// Where a vector of columns is in the panels of a group, which have `pieces` pieces.
struct VectorPlace {
  VectorPlace(const TileGroups& groups, int64_t vectors, int64_t vector, int64_t pieces) {
    // A panel has two vectors, unless it is the last one.
    const int64_t panel = vector / 2, in_panel = std::min<int64_t>(vectors - panel * 2, 2);
    piece_bytes = in_panel * groups.vector_bytes();
    group_bytes = pieces * piece_bytes;
    first = pieces * panel * groups.panel_bytes(kInt8PanelColumns) + vector % 2 * groups.vector_bytes();
  }
  int64_t first, piece_bytes, group_bytes;
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
          const VectorPlace place(groups, vectors, vector, 1);
          pack_tiles(columns, groups, place.group_bytes, to + group * amx_group_bytes(gemm) + place.first);
        }
      });
}

int64_t split_group_bytes(const GemmProblem& gemm) {
  const TileGroups groups(row_pairs(gemm));
  return 2 * divide_up(gemm.columns, kInt32Lanes) * groups.count * groups.vector_bytes();
}

bool pack_split_weights(const GemmProblem& gemm, const float* weights, ThreadPool& pool, int8_t* to) {
  const TileGroups groups(row_pairs(gemm));
  const int64_t vectors = divide_up(gemm.columns, kInt32Lanes);
  std::atomic<bool> all_finite = true;
  pool.parallel_for(gemm.groups * vectors, 1 + (1 << 16) / groups.panel_bytes(1),
                    [&](int64_t begin, int64_t end) {
                      SplitColumns columns(gemm);
                      for (int64_t i = begin; i < end; ++i) {
                        const int64_t group = i / vectors, vector = i % vectors, first = vector * kInt32Lanes;
                        const int64_t count = std::min<int64_t>(gemm.columns - first, kInt32Lanes);
                        if (!columns.split(weights + group * gemm.columns * gemm.inner(), first, count))
                          all_finite.store(false, std::memory_order_relaxed);
                        const VectorPlace place(groups, vectors, vector, 2);
                        int8_t* const at = to + group * split_group_bytes(gemm) + place.first;
                        for (int64_t piece = 0; piece < 2; ++piece)
                          pack_tiles(columns.piece(piece, count), groups, place.group_bytes,
                                     at + piece * place.piece_bytes);
                      }
                    });
  return all_finite;
}

}  // namespace nnrt::cpu
