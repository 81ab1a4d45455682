// Direct convolution, tap by tap. Taps outside the input are skipped, so infinite weights never multiply
// padding zeros.
#pragma once

#include "backends/cpu/base/kernel.h"
#include "backends/cpu/conv/conv_geometry.h"
#include "backends/cpu/conv/stored_filters.h"

namespace nnrt::cpu {

// Sums of output pixel (y, x) of image n, one per output channel.
struct DirectSums {
  const Convolution& conv;
  const float* input;
  const float* weights;

  void operator()(int64_t n, int64_t y, int64_t x, float* sums) const;
};

// Returns whether a GEMM would read zeros around the input or between its pixels.
bool reads_padding(const Convolution& conv);

// FLOAT32 and FLOAT16.
Status convolve_direct(const KernelArgs& args, const Convolution& conv);

}  // namespace nnrt::cpu
