#include "backends/cpu/kernels/lookup/lookup_kernels.h"

#include "backends/cpu/base/kernel_families.h"

namespace nnrt::cpu {
namespace {

constexpr KernelRow kLookupKernels[] = {
    {Op::hashtable_lookup, hashtable_lookup},
    {Op::lsh_projection, lsh_projection},
    {Op::random_multinomial, random_multinomial},
};

}  // namespace

std::span<const KernelRow> lookup_kernels() { return kLookupKernels; }

}  // namespace nnrt::cpu
