// 3x3 FLOAT32 convolution by Winograd F(4x4, 3x3): 4x4 outputs from 6x6 inputs, with 36 products per channel
// pair instead of 144.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/conv_geometry.h"

namespace nnrt::cpu {

// Requires static shapes; faster only with enough channels and tiles.
WhyNot why_not_winograd(const KernelArgs& args, const Convolution& conv);
Status prepack_winograd(const KernelArgs& args, const Convolution& conv);
Status convolve_winograd(const KernelArgs& args, const Convolution& conv);

}  // namespace nnrt::cpu
