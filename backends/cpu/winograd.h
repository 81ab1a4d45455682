// 3x3 convolutions of float32 by Winograd's F(4x4, 3x3): four by four results from six by six inputs with 36
// products for each pair of channels instead of 144.
#pragma once

#include "backends/cpu/kernel.h"
#include "backends/cpu/linear_convolution.h"

namespace nnrt::cpu {

// Whether the convolution is computed so: where shapes are known beforehand and it pays.
bool takes_winograd(const KernelArgs& args, const Convolution& conv);
Status keep_winograd(const KernelArgs& args, const Convolution& conv);
Status convolve_winograd(const KernelArgs& args, const Convolution& conv);

}  // namespace nnrt::cpu
