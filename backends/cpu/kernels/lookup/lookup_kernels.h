// Table lookup, hashing and random kernels, one file each.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status hashtable_lookup(const KernelArgs& args);
Status lsh_projection(const KernelArgs& args);
Status random_multinomial(const KernelArgs& args);

}  // namespace nnrt::cpu
