// Sums of products tap by tap. Taps outside of the input are left out, so that infinite weights do not meet
// the zeros of the padding.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/conv_geometry.h"

namespace nnrt::cpu {

// The sums of pixel (y, x) of the output of image n, one for each output channel. Weights are [output
// channels][kernel height][kernel width][group_in].
struct DirectSums {
  const Convolution& conv;
  const float *input, *weights;

  void operator()(int64_t n, int64_t y, int64_t x, float* sums) const;
};

// Returns whether zeros around the input, or between its pixels, take part in GEMMs.
bool reads_padding(const Convolution& conv);

// For FLOAT32 and FLOAT16.
Status convolve_direct(const KernelArgs& args, const Convolution& conv);

}  // namespace nnrt::cpu
