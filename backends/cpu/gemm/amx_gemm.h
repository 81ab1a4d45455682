// Operands of the GEMMs with AMX.
#pragma once

#include "backends/cpu/gemm/amx_microkernel.h"
#include "backends/cpu/gemm/gemm_tiling.h"
#include "backends/cpu/gemm/split_rows.h"

#include <span>

namespace nnrt::cpu {

// Quads of values of a row, whose parts are padded to whole quads.
inline int64_t row_quads(const GemmProblem& gemm) {
  return gemm.taps * divide_up(gemm.tap_elements, kDotDepth);
}

// Bytes of the panels of one group.
int64_t amx_group_bytes(const GemmProblem& gemm);
// Writes the panels of all groups and sums[channel], the sum of the channel's weights.
void pack_amx_weights(const GemmProblem& gemm, const int8_t* weights, ThreadPool& pool, int8_t* to,
                      std::span<int32_t> sums);

// Pairs of floats of a row, whose parts are padded to whole pairs.
inline int64_t row_pairs(const GemmProblem& gemm) { return gemm.taps * divide_up(gemm.tap_elements, 2); }

// The same for split floats (split_rows.h): per group of pairs, the rounded weights of both vectors, then the
// remainders. Returns whether all are finite.
int64_t split_group_bytes(const GemmProblem& gemm);
bool pack_split_weights(const GemmProblem& gemm, const float* weights, ThreadPool& pool, int8_t* to);

// Rows for for_tiles() that tiles can load: evenly spaced within a block. Others are packed.
template <typename Locate>
class TileRows {
 public:
  TileRows(const Locate& source, const GemmProblem& gemm)
      : source_(source),
        taps_(gemm.taps),
        tap_elements_(gemm.tap_elements),
        pitch_((divide_up(row_quads(gemm) * kDotDepth, kLine) | 1) * kLine) {}

  static constexpr bool has_fixed_stride() { return false; }
  int64_t bytes(int64_t rows) const {
    return kLine + part_bytes(rows) + packed_bytes(rows) + source_.bytes(rows);
  }

  void operator()(int64_t begin, int64_t count, int64_t block_rows, const int8_t** rows,
                  int8_t* memory) const {
    memory += -reinterpret_cast<uintptr_t>(memory) % kLine;
    auto* const parts = reinterpret_cast<const int8_t**>(memory);
    const int64_t room = round_up(count, block_rows);
    int8_t* const packed = memory + part_bytes(room);
    source_(begin, count, block_rows, parts, packed + packed_bytes(room));
    for (int64_t first = 0; first < count; first += block_rows) {
      const auto some = int(std::min(block_rows, count - first));
      const Int8Rows block{parts + first * taps_, block_rows, taps_, tap_elements_, some};
      if (taps_ == 1 && is_evenly_spaced(block)) {
        std::copy_n(block.parts, some, rows + first);
      } else {
        pack_tile_rows(block, pitch_, packed + first * pitch_);
        for (int64_t r = first; r < first + some; ++r) rows[r] = packed + r * pitch_;
      }
    }
  }

 private:
  static constexpr int64_t kLine = 64;

  int64_t part_bytes(int64_t rows) const { return round_up(rows * taps_ * int64_t(sizeof(int8_t*)), kLine); }
  int64_t packed_bytes(int64_t rows) const { return rows * pitch_ + kLine; }

  static bool is_evenly_spaced(const Int8Rows& rows) {
    for (int r = 2; r < rows.count; ++r)
      if (rows.parts[r] - rows.parts[r - 1] != rows.parts[1] - rows.parts[0]) return false;
    return true;
  }

  const Locate& source_;
  int64_t taps_, tap_elements_;
  int64_t pitch_;  // of packed rows; an odd number of lines, so that rows fall into different cache sets
};

// Split rows of floats for for_tiles().
template <typename Locate>
class SplitRows {
 public:
  SplitRows(const Locate& source, const GemmProblem& gemm)
      : source_(source),
        groups_(row_pairs(gemm)),
        taps_(gemm.taps),
        tap_elements_(gemm.tap_elements),
        pitch_((divide_up(2 * groups_.piece_bytes() + kSplitNoteBytes, kLine) | 1) * kLine) {}

  static constexpr bool has_fixed_stride() { return false; }
  int64_t bytes(int64_t rows) const {
    return kLine + part_bytes(rows) + rows * pitch_ + (source_.has_fixed_stride() ? 0 : source_.bytes(rows));
  }

  void operator()(int64_t begin, int64_t count, int64_t block_rows, const int8_t** rows,
                  int8_t* memory) const {
    memory += -reinterpret_cast<uintptr_t>(memory) % kLine;
    auto* const parts = reinterpret_cast<const float**>(memory);
    const int64_t room = round_up(count, block_rows);
    int8_t* packed = memory + part_bytes(room);
    if (!source_.has_fixed_stride())
      source_(begin, count, block_rows, parts, reinterpret_cast<float*>(packed + room * pitch_));
    for (int64_t r = 0; r < count; ++r, packed += pitch_) {
      FloatParts row{parts + r / block_rows * block_rows * taps_ + r % block_rows, block_rows, taps_,
                     tap_elements_};
      const float* const in_place = source_.has_fixed_stride() ? source_.row_at(begin + r) : nullptr;
      if (in_place != nullptr) row.parts = &in_place;
      auto* const rounded = reinterpret_cast<uint16_t*>(packed);
      const bool is_finite = split_parts(row, rounded, rounded + groups_.piece_bytes() / 2);
      packed[2 * groups_.piece_bytes()] = is_finite ? 1 : 0;
      rows[r] = packed;
    }
  }

 private:
  static constexpr int64_t kLine = 64;

  int64_t part_bytes(int64_t rows) const { return round_up(rows * taps_ * int64_t(sizeof(float*)), kLine); }

  const Locate& source_;
  TileGroups groups_;
  int64_t taps_, tap_elements_;
  int64_t pitch_;  // an odd number of lines, so that rows fall into different cache sets
};

}  // namespace nnrt::cpu
