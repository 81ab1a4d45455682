// Quantized GEMM with AMX (has_amx()): 16 x 64 tile registers. Rows are packed contiguously first; weights
// use the layout of int8_microkernel.h.
#pragma once

#include "backends/cpu/gemm/int8_microkernel.h"

namespace nnrt::cpu {

inline constexpr int kTileRows = 16;                 // rows of one tile
inline constexpr int kAmxBlockRows = 2 * kTileRows;  // rows computed at once

// Bytes of one packed row. Not a power of two, so that rows fall into different cache sets.
int64_t packed_row_bytes(int64_t taps, int64_t tap_values);

// Packs rows.count rows to `to`, packed_row_bytes() apart, and writes the sum of each row's values. May write
// up to 64 bytes past the last row.
void pack_rows(const Int8Rows& rows, uint8_t* to, int32_t* sums);

// The GEMM of packed rows with some weight panels.
struct AmxGemmWork {
  const uint8_t* rows = nullptr;
  const int32_t* sums = nullptr;  // one per row
  int64_t count = 0;              // rows
  int64_t block_rows = 0;         // rows computed at once, up to kAmxBlockRows; rows must be packed up to a
                                  // multiple of this, with any contents
  int64_t taps = 1, tap_values = 0;
  const uint8_t* panels = nullptr;
  int64_t channel = 0, columns = 0;  // output channels of these panels
  int8_t* to = nullptr;              // result of the first row and channel
  int64_t stride = 0;
};

// terms.weight_zero must be equal for all channels.
void multiply_amx(const AmxGemmWork& work, const Int8Epilogue& terms);

}  // namespace nnrt::cpu
