#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status dynamic_quantize(const KernelArgs& args);

}  // namespace nnrt::cpu
