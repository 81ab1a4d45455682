// Matrix products on the GPU: MATMUL, FULL_CONNECTION and convolutions that are one.
#pragma once

#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

// Input 0 times input 1, plus a bias for each column if there is one.
struct Product {
  MatMul shape;
  Buffer output;
  std::optional<Buffer> bias;
  uint32_t activation = 0;
};
Status add_product(const LoweringContext& context, const Product& product);

// Adds a dispatch whose grid does not spill: neighbours in x, which share columns, form its groups; where
// there are few, a group takes more of y.
Status add_grid(const LoweringContext& context, Dispatch dispatch);

}  // namespace nnrt::vulkan
