// Implementations of convolutions.
#pragma once

#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/gemm/matmul_kernels.h"

namespace nnrt::cpu {

struct GemmProblem;
struct Int8Residual;

// Convolution with one input channel per group.
Status depthwise(const KernelArgs& args, const SpatialParams& spatial);
Status prepack_depthwise(const KernelArgs& args);

Status convolve_int8(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel);
Status prepack_convolve_int8(const KernelArgs& args, const Convolution& conv, Int8Kernel kernel);
WhyNot why_not_convolve_amx(const KernelArgs& args, const Convolution& conv);
// CONV2D fused with the ADD that follows. `args` are the CONV2D's, except that its output is the ADD's.
Status convolve_int8_and_add(const KernelArgs& args, const Int8Residual& residual, Int8Kernel kernel);
WhyNot why_not_int8_winograd(const KernelArgs& args, const Convolution& conv);
Status convolve_int8_winograd(const KernelArgs& args, const Convolution& conv);
Status prepack_int8_winograd(const KernelArgs& args, const Convolution& conv);
// Returns whether a run uses the raw weights, because sums may be too large.
bool runs_int8_winograd_directly(const KernelArgs& args, const Convolution& conv);
WhyNot why_not_int8_groups(const KernelArgs& args, const Convolution& conv);
Status convolve_int8_groups(const KernelArgs& args, const Convolution& conv);
Status prepack_int8_groups(const KernelArgs& args, const Convolution& conv);
Status depthwise_int8(const KernelArgs& args, const SpatialParams& spatial);
Status prepack_depthwise_int8(const KernelArgs& args, const SpatialParams& spatial);

// For FLOAT32 operands.
Status convolve_f32(const KernelArgs& args, const Convolution& conv);
Status prepack_convolve_f32(const KernelArgs& args, const Convolution& conv);
// Returns whether a run uses the raw weights, because non-finite ones would be multiplied by padding.
bool convolves_f32_directly(const KernelArgs& args, const Convolution& conv);

// The same on tiles of BF16, where FLOAT16 is allowed.
WhyNot why_not_convolve_split(const KernelArgs& args, const Convolution& conv);
Status convolve_split(const KernelArgs& args, const Convolution& conv);
Status prepack_convolve_split(const KernelArgs& args, const Convolution& conv);
bool convolves_split_directly(const KernelArgs& args, const Convolution& conv);

// How many groups share a vector of output channels and are one group of filter_gemm()'s; 1 if none do.
int64_t groups_in_vector(const Convolution& conv);
// A part of convolve_f32(): all groups of a tile of pixels, whose taps are located once. `filters` are
// f32_weights().
bool shares_taps(const Convolution& conv);
Status convolve_groups(const KernelArgs& args, const Convolution& conv, const GemmProblem& gemm,
                       const PrepackedBytes& filters);

// Convolutions to few channels.
WhyNot why_not_convolve_dot(const KernelArgs& args, const Convolution& conv);
Status convolve_dot(const KernelArgs& args, const Convolution& conv);

// For any operands, by im2col in float.
Status convolve_im2col(const KernelArgs& args, const Convolution& conv);
Status prepack_convolve_im2col(const KernelArgs& args, const Convolution& conv);
bool convolves_im2col_directly(const KernelArgs& args, const Convolution& conv);  // for the same reason

}  // namespace nnrt::cpu
