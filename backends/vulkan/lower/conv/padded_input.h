// Pads convolution inputs whose channels don't fill vec4 (images have three), so that kernels can read
// vectors.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// The input as the convolution's shader sees it. If worth it, channels are padded to vec4 with zeros. Then
// rows are padded too, and the pixels under one row of the kernel, which are contiguous, become one wide
// pixel.
struct PaddedInput {
  SpatialParams spatial;  // in terms of the padded pixels
  uint32_t channels = 0;  // per pixel
  uint32_t across = 1;    // input pixels that are read as one
  uint32_t left = 0;      // zero columns on the left

  bool changes(const NodeView& node) const { return channels != uint32_t(node.shape(0)[3]); }
};
PaddedInput padded_input_of(const NodeView& node, const SpatialParams& spatial, uint32_t groups,
                            bool transposed);

// Adds the dispatch that pads input 0 and returns its result: stored like the input, but floats if it is read
// through a texel view, which fp16 does not support.
View padded_input(const LoweringContext& context, const PaddedInput& padded, bool is_viewed);

}  // namespace nnrt::vulkan
