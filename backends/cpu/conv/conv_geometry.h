// Convolution geometry shared by all convolution kernels.
#pragma once

#include "core/schema/geometry.h"

#include <algorithm>

namespace nnrt::cpu {

// An NHWC convolution: each of `groups` maps `group_in` input channels to `group_out` output channels.
struct Convolution {
  SpatialParams spatial;
  bool transposed = false;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1, group_in = 0, group_out = 0;

  int64_t pixels() const { return batch * spatial.out[0] * spatial.out[1]; }
  int64_t inner() const { return spatial.kernel[0] * spatial.kernel[1] * group_in; }

  // True if the GEMM can use the input pixels in place as its rows.
  bool is_pointwise() const {
    constexpr std::array<int64_t, 2> kOnes{1, 1};
    return spatial.kernel == kOnes && spatial.stride == kOnes && spatial.out == spatial.in &&
           spatial.before == std::array<int64_t, 2>{};
  }

  // The input cell that kernel tap `tap` reads for output cell `out`, or -1.
  int64_t source(size_t axis, int64_t out, int64_t tap) const {
    const int64_t reach = tap * spatial.dilation[axis] - spatial.before[axis];
    const int64_t stride = spatial.stride[axis];
    int64_t in = transposed ? out - reach : out * stride + reach;
    if (transposed && in >= 0) in = in % stride == 0 ? in / stride : -1;
    return in < spatial.in[axis] ? std::max<int64_t>(in, -1) : -1;
  }
};

inline Convolution convolution_of(const NodeView& node, const SpatialParams& spatial, bool transposed) {
  Convolution conv;
  conv.spatial = spatial;
  conv.transposed = transposed;
  conv.batch = node.shape(0)[0];
  conv.in_channels = node.shape(0)[3];
  conv.out_channels = node.shape(1)[0];
  conv.group_in = node.shape(1)[3];
  conv.groups = conv.in_channels / conv.group_in;
  conv.group_out = conv.out_channels / conv.groups;
  return conv;
}

}  // namespace nnrt::cpu
