// fp16 GEMMs and convolutions by cooperative matrices, accumulating in float32.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "backends/vulkan/lower/gemm/lower_gemm.h"
#include "core/passes/kernel_choice.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// native: the device's cooperative matrices. emulated: loops over shared memory, for tests.
enum class MatrixSource : uint8_t { native, emulated };

WhyNot why_not_cooperative_matrix(const LoweringContext& context, const Gemm& gemm, MatrixSource source);
Status add_cooperative_matrix(const LoweringContext& context, const Gemm& gemm);

// CONV2D or CONV2D_TRANSPOSE.
WhyNot why_not_cooperative_matrix(const LoweringContext& context, const SpatialParams& spatial,
                                  MatrixSource source);
Status add_cooperative_matrix(const LoweringContext& context, const SpatialParams& spatial);

// The same for any number of input channels (images have three), with im2col: K runs over all elements under
// the kernel. Reads them one by one, fp16 or float, and through a TRANSPOSE of the image.
WhyNot why_not_im2col_matrices(const LoweringContext& context);
Status add_im2col_matrix(const LoweringContext& context, const SpatialParams& spatial);

}  // namespace nnrt::vulkan
