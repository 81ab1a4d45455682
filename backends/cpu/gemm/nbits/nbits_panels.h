// 4- and 8-bit weights in panels.
#pragma once

#include "backends/cpu/gemm/f32_microkernel.h"
#include "core/base/divide_up.h"

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

  int64_t blocks() const { return divide_up(inner, block); }
  uint8_t middle() const { return bits == 4 ? 8 : 128; }
};

// What packed weights omit without loss.
struct NbitsForm {
  bool half_scales = false;  // scales are halves
  bool centered = false;     // all zero points are the middle of the range, and are not stored
};

// Packed weights, in panels of f32_block().columns columns: two vectors of 32-bit words, one per column. A
// panel is a sequence of blocks: scales [column], zero points [column] unless centered, and the elements,
// [step][column]. A word has the elements of a column for a step of 8 (4 bits) or 4 (8 bits) consecutive k,
// minus the middle of their range. Byte j has element j in its lower half and element j + 4 in its upper
// half; or element j. Columns past the last have scale 0.
struct NbitsPanels {
  int64_t columns, inner, bits, block;
  int lanes;  // words per vector; a panel has twice as many columns
  NbitsForm form;
  const std::byte* memory = nullptr;

  NbitsPanels(const NbitsWeights& weights, NbitsForm form, int vector_bytes);

  int64_t width() const { return int64_t{2} * lanes; }
  int64_t count() const { return divide_up(columns, width()); }
  int64_t blocks() const { return divide_up(inner, block); }
  int64_t columns_of(int64_t panel) const;
  int middle() const { return bits == 4 ? 8 : 128; }

  // Elements per word, and steps per block.
  int64_t depth() const { return 32 / bits; }
  int64_t block_steps() const { return divide_up(block, depth()); }

  size_t scale_bytes() const { return size_t(width()) * (form.half_scales ? 2 : 4); }
  size_t zero_bytes() const { return form.centered ? 0 : size_t(width()); }
  size_t word_bytes() const { return size_t(block_steps() * width()) * sizeof(uint32_t); }
  size_t block_bytes() const { return scale_bytes() + zero_bytes() + word_bytes(); }
  size_t panel_bytes() const { return size_t(blocks()) * block_bytes(); }
  size_t bytes() const { return size_t(count()) * panel_bytes(); }
  const std::byte* block_at(int64_t panel, int64_t index) const {
    return memory + size_t(panel) * panel_bytes() + size_t(index) * block_bytes();
  }
};

NbitsForm nbits_form_of(const NbitsWeights& weights);

// Packs one panel into its place in `to`.
void pack_nbits(const NbitsPanels& panels, const NbitsWeights& weights, int64_t panel, std::byte* to);

}  // namespace nnrt::cpu
