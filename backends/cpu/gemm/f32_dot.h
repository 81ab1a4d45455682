// FLOAT32 GEMMs to few columns, as dot products along K.
#pragma once

#include "backends/cpu/gemm/f32_gemm.h"
#include "backends/cpu/simd/dot_rows.h"
#include "backends/cpu/simd/vector_math.h"

#include <array>

namespace nnrt::cpu {

// Returns a reason against dot products along K.
inline WhyNot why_not_dot(int64_t columns, int64_t inner) {
  constexpr int64_t kMaxColumns = 4;
  constexpr int64_t kSum = 12;  // cost of a horizontal sum, in vector products
  const int64_t lanes = f32_block(vector_bytes()).lanes;
  if (columns > kMaxColumns) return {"It supports {} columns; there are {}.", kMaxColumns, columns};
  if (columns * (divide_up(inner, lanes) + kSum) >= inner)
    return WhyNot::slower("It is slower with {} products per sum of {} columns.", inner, columns);
  return {};
}

// `columns` are [columns][taps][tap_floats].
template <typename Locate>
void multiply_dot(const KernelArgs& args, const GemmProblem& gemm, const float* columns, const float* bias,
                  const Locate& locate, int64_t first, int64_t stride) {
  const F32OutputEpilogue end(args, false);
  const F32Epilogue clamps = end.epilogue(nullptr, 0);
  float* const output = args.output<float>();
  for_tiles<float>(
      args, gemm, f32_tile_block(gemm), locate, [](const float* const*, int64_t, int, int32_t*) {},
      [&](const Tile& tile, const float* const* parts, const int32_t*) {
        const int64_t at = first + tile.row * stride;
        std::array<const float*, kMaxFloatRows> in_place;
        std::array<float, kMaxFloatRows> sums;
        for (int64_t row = 0; row < tile.rows; row += tile.block_rows) {
          DotRows rows{in_place.data(), tile.block_rows, gemm.taps, gemm.tap_elements,
                       std::min(tile.block_rows, tile.rows - row)};
          if (parts != nullptr) {
            rows.parts = parts + row * gemm.taps;
          } else {
            for (int64_t r = 0; r < rows.count; ++r) in_place[size_t(r)] = locate.row_at(tile.row + row + r);
          }
          for (int64_t column = 0; column < gemm.columns; ++column) {
            dot_rows(vector_bytes(), rows, columns + column * gemm.inner(), sums.data());
            float* to = output + at + row * stride + column;
            for (int64_t r = 0; r < rows.count; ++r, to += stride) {
              *to = sums[size_t(r)] + (bias == nullptr ? 0.0f : bias[column]);
              clamp_to(*to, clamps.low, clamps.high);
            }
          }
        }
        end.apply_rest(at, tile.rows, gemm.columns, stride);
      });
}

}  // namespace nnrt::cpu
