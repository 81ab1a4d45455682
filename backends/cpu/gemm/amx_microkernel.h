// Quantized GEMM microkernel with tile registers (has_amx()): 16 rows of 64 bytes. For weights without zero
// points, stored as signed bytes, so that results need no sums of rows.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"
#include "backends/cpu/gemm/int8_microkernel.h"

#include <algorithm>

namespace nnrt::cpu {

inline constexpr int64_t kTileRows = 16;                 // rows of a tile
inline constexpr int64_t kAmxBlockRows = 2 * kTileRows;  // rows computed at once

// A row's quads (kDotDepth bytes each) in groups of equal length, one per tile. The last group may overlap
// the previous one: its weights are 0 for quads that both have.
struct TileGroups {
  explicit TileGroups(int64_t row_quads)
      : quads(row_quads), count(divide_up(quads, kMostQuads)), length(divide_up(quads, count)) {}

  int64_t start(int64_t group) const { return std::min(group * length, quads - length); }
  int64_t vector_bytes() const { return length * kInt32Lanes * kDotDepth; }  // weights of one tile
  int64_t panel_bytes(int64_t columns) const {
    return count * (columns > kInt32Lanes ? 2 : 1) * vector_bytes();
  }

  // Distance of a row's second piece (split_rows.h).
  int64_t piece_bytes() const { return (quads * kDotDepth + 63) / 64 * 64; }

  static constexpr int64_t kMostQuads = 16;
  int64_t quads;          // of a row, at least 1
  int64_t count, length;  // groups; quads of a group
};

// Copies the parts of rows.count rows one after the other, `pitch` bytes from row to row; each part is padded
// to whole quads with zeros. May write up to 64 bytes past the last row.
void pack_tile_rows(const Int8Rows& rows, int64_t pitch, int8_t* to);

// Rows times panels of weights. A panel is [groups][vectors of columns][quads][kInt32Lanes][kDotDepth]; all
// but the last of a GEMM have two vectors.
struct AmxProduct {
  const int8_t* const* rows;  // those of a block are evenly spaced
  int64_t count, block_rows;  // up to kAmxBlockRows
  TileGroups groups;
  const int8_t* panels;
  int64_t channel, columns;  // output channels of these panels
};

// Row r of the results goes to to + r * stride. The INT32 overload stores the sums with their offsets.
void multiply_amx(const AmxProduct& product, const Int8Epilogue& terms, int8_t* to, int64_t stride);
void multiply_amx(const AmxProduct& product, const Int8Epilogue& terms, int32_t* to, int64_t stride);

// The same for rows and panels of floats that are split (split_rows.h). The bias is readable for whole
// vectors.
void multiply_split(const AmxProduct& product, bool finite_weights, const F32Epilogue& epilogue, float* to,
                    int64_t stride);

}  // namespace nnrt::cpu
