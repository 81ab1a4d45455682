// GEMMs and convolutions of fp16 values by matrices that subgroups multiply together, with sums of float32.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "core/passes/kernel_choice.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// The device multiplies them itself, or loops over shared memory do, for tests.
enum class MatrixSource : uint8_t { native, emulated };

WhyNot why_not_cooperative_matrix(const LoweringContext& context, const Gemm& gemm, MatrixSource source);
Status add_cooperative_matrix(const LoweringContext& context, const Gemm& gemm);

// CONV2D or CONV2D_TRANSPOSE with these spatial parameters.
WhyNot why_not_cooperative_matrix(const LoweringContext& context, const SpatialParams& spatial,
                                  MatrixSource source);
Status add_cooperative_matrix(const LoweringContext& context, const SpatialParams& spatial);

// The same for any number of input channels, as images have three: the elements under the kernel are one
// inner dimension. They are read one by one, as floats too, and before a TRANSPOSE of the image.
WhyNot why_not_im2col_matrices(const LoweringContext& context);
Status add_im2col_matrix(const LoweringContext& context, const SpatialParams& spatial);

}  // namespace nnrt::vulkan
