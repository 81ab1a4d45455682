// 4- and 8-bit weights in panels, dequantized in registers.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"

#include <cstddef>
#include <cstdint>

namespace nnrt::cpu {

// The weights of MATMUL_NBITS (operators/gemm_conv.md MATMUL_NBITS) as stored: a row of `inner` elements per
// output column. Every `block` elements of a row share a scale and a zero point.
struct NbitsWeights {
  const uint8_t* values;
  const float* scales;
  const uint8_t* zero_points;
  int64_t columns, inner, bits, block;

  int64_t blocks() const { return (inner + block - 1) / block; }
};

// Packed weights, in panels of f32_block().columns columns. Each panel holds scales and zero points,
// [block][column], then the elements as vectors of 32-bit words: word i holds columns i and i + lanes for a
// few consecutive k, lowest bits first, so that vector shifts unpack them. Each block starts at a new word.
// Columns past the last have scale 0.
struct NbitsPanels {
  int64_t columns, inner, bits, block;
  int lanes;  // words per vector; a panel has twice as many columns
  const std::byte* memory = nullptr;

  NbitsPanels(const NbitsWeights& weights, int vector_bytes);

  int64_t width() const { return int64_t{2} * lanes; }
  int64_t count() const { return (columns + width() - 1) / width(); }
  int64_t blocks() const { return (inner + block - 1) / block; }
  int64_t columns_of(int64_t panel) const;
  size_t panel_bytes() const;
  size_t bytes() const { return size_t(count()) * panel_bytes(); }

  // Number of k per word, and of word vectors per block.
  int64_t depth() const { return 16 / bits; }
  int64_t block_words() const { return (block + depth() - 1) / depth(); }

  const float* scales(int64_t panel) const;
  const float* zero_points(int64_t panel) const;
  const uint32_t* words(int64_t panel) const;
};

// Packs one panel into its place in `to`.
void pack_nbits(const NbitsPanels& panels, const NbitsWeights& weights, int64_t panel, std::byte* to);

inline constexpr int kMaxNbitsRows = 4;

// Products of up to kMaxNbitsRows rows, `step` floats apart, with a panel's columns: sums[row][width].
void nbits_products(int vector_bytes, const NbitsPanels& panels, int64_t panel, const float* rows,
                    int64_t step, int count, float* sums);

// Dequantizes a panel to the layout of multiply_f32().
void dequantize_panel(int vector_bytes, const NbitsPanels& panels, int64_t panel, float* to);

}  // namespace nnrt::cpu
