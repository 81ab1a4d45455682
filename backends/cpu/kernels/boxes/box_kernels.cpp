#include "backends/cpu/kernels/boxes/box_kernels.h"

#include "backends/cpu/base/kernel_families.h"

namespace nnrt::cpu {
namespace {

constexpr KernelRow kBoxKernels[] = {
    {Op::axis_aligned_bbox_transform, axis_aligned_bbox_transform},
    {Op::box_with_nms_limit, box_with_nms_limit},
    {Op::generate_proposals, generate_proposals},
    {Op::heatmap_max_keypoint, heatmap_max_keypoint},
};

}  // namespace

std::span<const KernelRow> box_kernels() { return kBoxKernels; }

}  // namespace nnrt::cpu
