// Sliding windows over any number of dimensions: CONV3D, AVG_POOL_ND, MAX_POOL_ND, COL2IM.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <span>
#include <vector>

namespace nnrt {

// One spatial dimension. Values that depend on an unknown size are -1.
struct SpatialAxis {
  size_t dimension = 0;  // dimension of the data
  int64_t in = 0, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 0;

  // Number of elements spanned by the dilated kernel.
  int64_t reach() const { return kernel < 0 ? -1 : (kernel - 1) * dilation + 1; }
};

// The dimensions of input 0 other than batch and channels (R16), in order.
std::vector<size_t> spatial_dimensions(const NodeView& node);

// For CONV3D (kernel sizes from the weight), AVG_POOL_ND and MAX_POOL_ND (from a parameter).
Result<std::vector<SpatialAxis>> spatial_axes(const NodeView& node);

// The data as [outer, depth, height, width, inner]: channels are inner if they are last, and part of outer if
// they follow the batch. Missing spatial dimensions have length 1.
struct Spatial3d {
  int64_t outer = 1, inner = 1;
  std::array<SpatialAxis, 3> axes{};

  int64_t in_cells() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t out_cells() const { return axes[0].out * axes[1].out * axes[2].out; }
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};
// At most three axes; the shape must be known.
Spatial3d spatial_3d_of(const NodeView& node, std::span<const SpatialAxis> axes);

// The kernel taps inside the input, and those inside the input or padding.
struct AxisTaps {
  int64_t origin = 0;  // position of the first tap, possibly outside
  int64_t begin = 0, end = 0, padded = 0;

  int64_t count() const { return end - begin; }
};
AxisTaps taps_of(const SpatialAxis& axis, int64_t out);

// COL2IM: `in` is the image (dimensions 2 and up of the output), `out` the number of blocks that fit. Input 1
// must be known.
Result<std::vector<SpatialAxis>> image_axes(const NodeView& node);

}  // namespace nnrt
