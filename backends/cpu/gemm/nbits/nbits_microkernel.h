// Weights of 4 or 8 bits in panels, which become floats in registers.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"

#include <cstddef>
#include <cstdint>

namespace nnrt::cpu {

// The weights of MATMUL_NBITS (operators/gemm_conv.md MATMUL_NBITS) as they come: a row of `inner` elements
// for each column of the result. Every `block` elements of a row share a scale and a zero point.
struct NbitsWeights {
  const uint8_t* values;
  const float* scales;
  const uint8_t* zero_points;
  int64_t columns, inner, bits, block;

  int64_t blocks() const { return (inner + block - 1) / block; }
};

// The same in panels of as many columns as f32_block() has: for each panel the scales and the zero points,
// [block][column], then the elements. These lie in words of 32 bits, a vector of words at a time: in word i
// are those of columns i and i + lanes for some neighbouring k, the lowest bits first. So shifts of whole
// vectors unpack them. Each block begins with a word of its own. Columns behind the last one have scale 0.
struct NbitsPanels {
  int64_t columns, inner, bits, block;
  int lanes;  // words of a vector; a panel has twice as many columns
  const std::byte* memory = nullptr;

  NbitsPanels(const NbitsWeights& weights, int vector_bytes);

  int64_t width() const { return int64_t{2} * lanes; }
  int64_t count() const { return (columns + width() - 1) / width(); }
  int64_t blocks() const { return (inner + block - 1) / block; }
  int64_t columns_of(int64_t panel) const;
  size_t panel_bytes() const;
  size_t bytes() const { return size_t(count()) * panel_bytes(); }

  // The number of k in a word, and of vectors of words in a block.
  int64_t depth() const { return 16 / bits; }
  int64_t block_words() const { return (block + depth() - 1) / depth(); }

  const float* scales(int64_t panel) const;
  const float* zero_points(int64_t panel) const;
  const uint32_t* words(int64_t panel) const;
};

// Writes one panel to where it belongs in `to`, the memory of all.
void pack_nbits(const NbitsPanels& panels, const NbitsWeights& weights, int64_t panel, std::byte* to);

inline constexpr int kMaxNbitsRows = 4;

// The products of up to kMaxNbitsRows rows, `step` floats apart, with the columns of a panel:
// sums[row][width].
void nbits_products(int vector_bytes, const NbitsPanels& panels, int64_t panel, const float* rows,
                    int64_t step, int count, float* sums);

// Writes a panel as multiply_f32() wants it.
void dequantize_panel(int vector_bytes, const NbitsPanels& panels, int64_t panel, float* to);

}  // namespace nnrt::cpu
