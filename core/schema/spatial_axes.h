// Kernels that slide over any number of dimensions: CONV3D, AVG_POOL_ND, MAX_POOL_ND, COL2IM.
#pragma once

#include "core/schema/node_view.h"

#include <array>
#include <span>
#include <vector>

namespace nnrt {

// One dimension that a kernel slides over. What depends on an unknown size is -1.
struct SpatialAxis {
  size_t dimension = 0;  // index among the data's
  int64_t in = 0, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0, out = 0;

  // Returns the number of elements that the kernel spans.
  int64_t reach() const { return kernel < 0 ? -1 : (kernel - 1) * dilation + 1; }
};

// The dimensions of input 0 that are neither batch nor channels (R16), in their order.
std::vector<size_t> spatial_dimensions(const NodeView& node);

// CONV3D, whose kernel sizes are the weight's, AVG_POOL_ND and MAX_POOL_ND, whose are a parameter.
Result<std::vector<SpatialAxis>> spatial_axes(const NodeView& node);

// Data as [outer, depth, height, width, inner]: the channels are inner where they come last, and outer where
// they follow the batch. A dimension that the data lack has one element, which the kernel covers.
struct SpatialVolume {
  int64_t outer = 1, inner = 1;
  std::array<SpatialAxis, 3> axes{};

  int64_t in_cells() const { return axes[0].in * axes[1].in * axes[2].in; }
  int64_t out_cells() const { return axes[0].out * axes[1].out * axes[2].out; }
  int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};
// At most three axes, of data whose shape is known.
SpatialVolume volume_of(const NodeView& node, std::span<const SpatialAxis> axes);

// The taps of a kernel that lie on elements of the input, and those that lie on these or on padding.
struct AxisTaps {
  int64_t origin = 0;  // the first tap's place, which may be outside
  int64_t begin = 0, end = 0, padded = 0;

  int64_t count() const { return end - begin; }
};
AxisTaps taps_of(const SpatialAxis& axis, int64_t out);

// COL2IM: `in` is the picture, dimensions 2 and up of the output, and `out` how many blocks fit there. Input
// 1 must be known.
Result<std::vector<SpatialAxis>> picture_axes(const NodeView& node);

}  // namespace nnrt
