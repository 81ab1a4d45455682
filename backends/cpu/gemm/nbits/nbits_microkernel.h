// Products with 4- and 8-bit weights that are dequantized in registers.
#pragma once

#include "backends/cpu/gemm/nbits/nbits_panels.h"

namespace nnrt::cpu {

inline constexpr int kMaxNbitsRows = 4;

// Up to kMaxNbitsRows rows, `step` floats apart.
struct NbitsRows {
  const float* data;
  int64_t step;
  int count;
};
// Products with a panel's columns: sums[row][width].
void nbits_products(int vector_bytes, const NbitsPanels& panels, int64_t panel, const NbitsRows& rows,
                    float* sums);

// Dequantizes blocks [first, last) of a panel to the layout of multiply_f32().
void dequantize_blocks(int vector_bytes, const NbitsPanels& panels, int64_t panel, int64_t first,
                       int64_t last, float* to);

}  // namespace nnrt::cpu
