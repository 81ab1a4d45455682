#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status cum_sum(const KernelArgs& args);

}  // namespace nnrt::cpu
