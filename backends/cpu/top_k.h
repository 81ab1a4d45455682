#pragma once

#include "backends/cpu/kernel.h"

namespace nnrt::cpu {

Status top_k(const KernelArgs& args);

}  // namespace nnrt::cpu
