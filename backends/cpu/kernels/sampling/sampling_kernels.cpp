#include "backends/cpu/kernels/sampling/sampling_kernels.h"

#include "backends/cpu/base/kernel_families.h"

namespace nnrt::cpu {
namespace {

constexpr KernelRow kSamplingKernels[] = {
    {Op::avg_pool_nd, avg_pool_nd}, {Op::col2im, col2im}, {Op::grid_sample, grid_sample},
    {Op::max_pool_nd, max_pool_nd}, {Op::resize, resize}, {Op::roi_align, roi_align},
    {Op::roi_pooling, roi_pooling},
};

}  // namespace

std::span<const KernelRow> sampling_kernels() { return kSamplingKernels; }

}  // namespace nnrt::cpu
