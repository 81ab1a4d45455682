#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status top_k(const KernelArgs& args);

}  // namespace nnrt::cpu
