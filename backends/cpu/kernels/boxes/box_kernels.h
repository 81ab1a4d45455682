// Kernels of NNAPI's detection operators, one file each.
#pragma once

#include "backends/cpu/base/kernel.h"

namespace nnrt::cpu {

Status axis_aligned_bbox_transform(const KernelArgs& args);
Status box_with_nms_limit(const KernelArgs& args);
Status generate_proposals(const KernelArgs& args);
Status heatmap_max_keypoint(const KernelArgs& args);

}  // namespace nnrt::cpu
