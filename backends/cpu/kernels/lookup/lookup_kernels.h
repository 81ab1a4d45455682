// Kernels of tables, hashes and draws by chance; one file each.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status hashtable_lookup(const KernelArgs& args);
Status lsh_projection(const KernelArgs& args);
Status random_multinomial(const KernelArgs& args);

}  // namespace nnrt::cpu
