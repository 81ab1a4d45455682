// Quantized GEMMs on processors with has_amx(): registers of 16 x 64 values. Rows are laid side by side in
// memory first; weights are those of int8_microkernel.h.
#pragma once

#include "backends/cpu/gemm/int8_microkernel.h"

namespace nnrt::cpu {

inline constexpr int kTileRows = 16;                 // rows of one register
inline constexpr int kAmxBlockRows = 2 * kTileRows;  // rows that are computed at once

// The bytes that laying down one row takes. Not a power of two, so that rows lie in different sets of a
// cache.
int64_t packed_row_bytes(int64_t taps, int64_t tap_values);

// Lays rows.count rows down at `to`, packed_row_bytes() apart, and writes the sum of each one's values. Up to
// 64 bytes behind the last row are written too.
void pack_rows(const Int8Rows& rows, uint8_t* to, int32_t* sums);

// The GEMM of rows that were laid down with some panels of weights.
struct AmxGemmWork {
  const uint8_t* rows = nullptr;
  const int32_t* sums = nullptr;  // one for each row
  int64_t count = 0;              // rows
  int64_t block_rows = 0;         // computed at once, up to kAmxBlockRows: `count` must be laid down up to a
                                  // multiple of these, with whatever contents
  int64_t taps = 1, tap_values = 0;
  const uint8_t* panels = nullptr;
  int64_t channel = 0, columns = 0;  // the output channels of these panels
  int8_t* to = nullptr;              // the result of the first row and channel
  int64_t stride = 0;
};

// terms.weight_zero must be the same for all channels.
void multiply_amx(const AmxGemmWork& work, const Int8Epilogue& terms);

}  // namespace nnrt::cpu
