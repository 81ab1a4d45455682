// Floats as sums of two BF16 numbers, the float rounded and the remainder rounded: 16 bits. Three products of
// such numbers, all but that of the remainders, are as exact as fp16 operands with FLOAT32 sums, or better.
//
// A split row is its rounded floats, from TileGroups::piece_bytes() on its remainders, and behind them
// whether it is finite, also as BF16. Parts are padded to whole pairs with zeros. An infinity or NaN has the
// remainder 0.
#pragma once

#include "backends/cpu/gemm/amx_microkernel.h"

namespace nnrt::cpu {

// Bytes behind the pieces.
inline constexpr int64_t kSplitNoteBytes = 64;

inline bool split_row_is_finite(const int8_t* row, const TileGroups& groups) {
  return row[2 * groups.piece_bytes()] != 0;
}

// The parts of a row, whose part i begins at parts[i * step].
struct FloatParts {
  const float* const* parts;
  int64_t step, count, floats;
};
// Returns whether all floats are finite, also as BF16. `rounded` and `remainders` have room for whole pairs.
bool split_parts(const FloatParts& from, uint16_t* rounded, uint16_t* remainders);

// The sums of multiply_split(), as floats: an infinity is not multiplied by a remainder of 0.
void sum_as_floats(const int8_t* row, int64_t pitch, int64_t rows, const int8_t* panel,
                   const TileGroups& groups, int64_t columns, const float* start, float* sums);

// Clamps sums that include the bias, adds F32Epilogue::other, and stores them from to[at] on.
void store_split_sums(const float* sums, int64_t rows, int64_t columns, const F32Epilogue& epilogue,
                      int64_t at, float* to, int64_t stride);

}  // namespace nnrt::cpu
