// LAYER_NORM, INSTANCE_NORM, GROUP_NORM and RMS_NORM: normalization to unit variance or unit mean square.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status layer_norm(const KernelArgs& args);
Status instance_norm(const KernelArgs& args);
Status group_norm(const KernelArgs& args);
Status rms_norm(const KernelArgs& args);

}  // namespace nnrt::cpu
