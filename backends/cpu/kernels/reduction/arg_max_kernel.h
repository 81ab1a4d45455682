// ARG_MAX: positions or values of the largest elements of each line.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status arg_max(const KernelArgs& args);

}  // namespace nnrt::cpu
