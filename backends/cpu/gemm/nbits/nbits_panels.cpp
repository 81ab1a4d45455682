#include "backends/cpu/gemm/nbits/nbits_panels.h"

#include "backends/cpu/gemm/half/half_microkernel.h"
#include "core/base/fp16.h"

#include <algorithm>
#include <cstring>

namespace nnrt::cpu {
namespace {

// Element k of a row of weights, minus the middle.
uint8_t centered_element(const NbitsWeights& weights, const uint8_t* row, int64_t k) {
  if (weights.bits == 8) return uint8_t(row[k] - weights.middle());
  return uint8_t(((k % 2 == 0 ? row[k / 2] & 15 : row[k / 2] >> 4) - weights.middle()) & 15);
}

void pack_block(const NbitsPanels& panels, const NbitsWeights& weights, int64_t column, int64_t block,
                int64_t at, std::byte* to) {
  const int64_t blocks = panels.blocks(), begin = block * panels.block;
  const float scale = weights.scales[column * blocks + block];
  if (panels.form.half_scales) {
    const Half half = to_half(scale);
    std::memcpy(to + size_t(at) * sizeof half, &half, sizeof half);
  } else {
    std::memcpy(to + size_t(at) * sizeof scale, &scale, sizeof scale);
  }
  to += panels.scale_bytes();
  if (!panels.form.centered) to[at] = std::byte(weights.zero_points[column * blocks + block]);
  to += panels.zero_bytes();
  const int64_t row_bytes = weights.bits == 8 ? weights.inner : (weights.inner + 1) / 2;
  const uint8_t* const row = weights.values + column * row_bytes;
  const int64_t end = std::min(begin + panels.block, panels.inner), depth = panels.depth();
  for (int64_t k = begin; k < end; k += depth) {
    uint32_t word = 0;
    for (int64_t i = 0; i < std::min(depth, end - k); ++i) {
      const int64_t shift = panels.bits == 8 ? 8 * i : i % 4 * 8 + i / 4 * 4;
      word |= uint32_t{centered_element(weights, row, k + i)} << shift;
    }
    std::memcpy(to + size_t((k - begin) / depth * panels.width() + at) * sizeof word, &word, sizeof word);
  }
}

}  // namespace

NbitsPanels::NbitsPanels(const NbitsWeights& weights, NbitsForm form_of_weights, int vector_bytes)
    : columns(weights.columns),
      inner(weights.inner),
      bits(weights.bits),
      block(weights.block),
      lanes(f32_block(vector_bytes).lanes),
      form(form_of_weights) {}

int64_t NbitsPanels::columns_of(int64_t panel) const { return std::min(width(), columns - panel * width()); }

NbitsForm nbits_form_of(const NbitsWeights& weights) {
  const int64_t count = weights.columns * weights.blocks();
  const bool half_scales = (half_forms_of(vector_bytes(), weights.scales, count) & kExactHalf) != 0;
  const bool centered = std::all_of(weights.zero_points, weights.zero_points + count,
                                    [&](uint8_t zero) { return zero == weights.middle(); });
  return {half_scales, centered};
}

void pack_nbits(const NbitsPanels& panels, const NbitsWeights& weights, int64_t panel, std::byte* to) {
  to += size_t(panel) * panels.panel_bytes();
  std::memset(to, 0, panels.panel_bytes());
  for (int64_t c = 0; c < panels.columns_of(panel); ++c)
    for (int64_t block = 0; block < panels.blocks(); ++block)
      pack_block(panels, weights, panel * panels.width() + c, block, c,
                 to + size_t(block) * panels.block_bytes());
}

}  // namespace nnrt::cpu
