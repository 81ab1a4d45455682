// Products and convolutions of halves by matrices that subgroups multiply together, with sums of float32.
#pragma once

#include "backends/vulkan/lower/product.h"
#include "backends/vulkan/lowering.h"
#include "core/geometry.h"

namespace nnrt::vulkan {

// Why a product is not computed so, and what is not refused.
Refusal refuse_matrices(const LoweringContext& context, const Product& product);
Status add_matrices(const LoweringContext& context, const Product& product);

// CONV2D or CONV2D_TRANSPOSE of such a window.
Refusal refuse_matrices(const LoweringContext& context, const Window& window);
Status add_matrices(const LoweringContext& context, const Window& window);

}  // namespace nnrt::vulkan
