// Matrix products on the GPU: MATMUL, FULL_CONNECTION, convolutions that are one, and LSTM's of its input.
#pragma once

#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

// Rows and columns of a tile, which an invocation computes.
inline constexpr uint32_t kTileRows = 8;
inline constexpr uint32_t kTileColumns = 16;

// Input 0, or what is in its place, times matrices of input 1, plus a bias for each column if there is one.
struct Product {
  MatMul shape;
  Buffer output;
  std::optional<Buffer> bias = {};
  uint32_t activation = 0;
  std::optional<Buffer> left = {};
  uint32_t first = 0;  // of the matrices of input 1
};
Status add_product(const LoweringContext& context, const Product& product);

// The activation as shaders take it: results are kept within.
struct Limits {
  float low, high;
};
Limits limits_of(uint32_t activation);

// Adds a dispatch whose grid does not spill: neighbours in x, which share columns, form its groups; where
// there are few, a group takes more of y.
Status add_grid(const LoweringContext& context, Dispatch dispatch);
// The same for a grid with no y.
Status add_line(const LoweringContext& context, Dispatch dispatch);

}  // namespace nnrt::vulkan
