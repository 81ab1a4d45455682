// Kernels that other sources list with their operators.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status arg_max(const KernelArgs& args);  // positions or values of the largest elements of each line
Status cum_sum(const KernelArgs& args);
Status top_k(const KernelArgs& args);

// Normalization to unit variance or unit mean square (moments_norm.cpp).
Status layer_norm(const KernelArgs& args);
Status instance_norm(const KernelArgs& args);
Status group_norm(const KernelArgs& args);
Status rms_norm(const KernelArgs& args);

}  // namespace nnrt::cpu
