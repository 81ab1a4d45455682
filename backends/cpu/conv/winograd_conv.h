// 3x3 convolutions of float32 by Winograd's F(4x4, 3x3): four by four results from six by six inputs with 36
// products for each pair of channels instead of 144.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/conv_geometry.h"

namespace nnrt::cpu {

// It needs shapes that are known before any run, and pays where there are enough channels and tiles.
WhyNot why_not_winograd(const KernelArgs& args, const Convolution& conv);
Status prepack_winograd(const KernelArgs& args, const Convolution& conv);
Status convolve_winograd(const KernelArgs& args, const Convolution& conv);

}  // namespace nnrt::cpu
