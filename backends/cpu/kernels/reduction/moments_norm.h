// Normalizations by mean and variance.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status layer_norm(const KernelArgs& args);
Status instance_norm(const KernelArgs& args);

}  // namespace nnrt::cpu
