// CONV3D in channels-first layout that reads its padded input in place.
#pragma once

#include "backends/cpu/conv/conv3d/conv3d_geometry.h"

namespace nnrt::cpu {

// Needs strides of 1 within planes (the depth may have any), and little padding along lines.
bool convolves_planes(const Convolution3d& conv);

// Computes one group. Weights must be finite. For float, Half and int8_t.
template <typename T>
void convolve_planes(const KernelArgs& args, const Convolution3d& conv, int64_t group);

}  // namespace nnrt::cpu
