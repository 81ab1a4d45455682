// AVG_POOL and MAX_POOL.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status avg_pool(const KernelArgs& args);
Status max_pool(const KernelArgs& args);

}  // namespace nnrt::cpu
