// Transposed FLOAT32 convolutions. Neither kernel multiplies the zeros inserted between input pixels.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/conv_geometry.h"

namespace nnrt::cpu {

// One GEMM computes the products of each input pixel with all taps and output channels; overlapping results
// are then added. Fills vectors even with few output channels.
WhyNot why_not_col2im(const KernelArgs& args, const Convolution& conv);
Status convolve_col2im(const KernelArgs& args, const Convolution& conv);
Status prepack_col2im(const KernelArgs& args, const Convolution& conv);

// One GEMM per phase of output pixels.
WhyNot why_not_subpixel(const KernelArgs& args, const Convolution& conv);
Status convolve_subpixel(const KernelArgs& args, const Convolution& conv);
Status prepack_subpixel(const KernelArgs& args, const Convolution& conv);
// Returns whether a run uses the raw weights, because non-finite ones would be multiplied by padding.
bool runs_subpixel_directly(const KernelArgs& args, const Convolution& conv);

}  // namespace nnrt::cpu
