// Image regions of ROI_ALIGN and ROI_POOLING: x1, y1, x2, y2.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <span>

namespace nnrt::cpu {

// Coordinates are divided by these strides (height, width).
std::array<float, 2> region_strides(const Attrs& attrs);

// Checks that each region's image exists and that the region is inside it and not inverted. Coordinates are
// multiplied by the scale and divided by the strides.
Status check_regions(const NodeView& node, std::span<const float> regions,
                     std::span<const int64_t> batch_indices, std::array<float, 2> scale = {1, 1});

}  // namespace nnrt::cpu
