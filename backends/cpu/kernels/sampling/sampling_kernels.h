// Interpolation, and windows over any number of dimensions; one file each.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status avg_pool_nd(const KernelArgs& args);
Status col2im(const KernelArgs& args);
Status grid_sample(const KernelArgs& args);
Status max_pool_nd(const KernelArgs& args);
Status resize(const KernelArgs& args);
Status roi_align(const KernelArgs& args);
Status roi_pooling(const KernelArgs& args);

}  // namespace nnrt::cpu
