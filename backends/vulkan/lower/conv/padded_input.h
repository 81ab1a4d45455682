// Inputs of convolutions whose channels are no whole vec4, as images have three of them, in a form in which
// kernels read vectors.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"
#include "core/schema/geometry.h"

namespace nnrt::vulkan {

// A convolution's input as its shader sees it. If it pays, channels are padded to vec4 with zeros; and then
// rows of pixels have all the zeros at their ends that the kernel reads, so that the pixels under a row of
// the kernel, which lie side by side, are read as one.
struct PaddedInput {
  SpatialParams spatial;  // over such pixels
  uint32_t channels = 0;  // channels of a pixel
  uint32_t across = 1;    // pixels that are read as one
  uint32_t left = 0;      // columns of zeros before the first

  bool changes(const NodeView& node) const { return channels != uint32_t(node.shape(0)[3]); }
};
PaddedInput padded_input_of(const NodeView& node, const SpatialParams& spatial, uint32_t groups,
                            bool transposed);

// Adds what makes input 0 such, or what that is the TRANSPOSE of, and gives the result: floats where it is
// viewed as texels, which fp16 is not.
Buffer padded_input(const LoweringContext& context, const PaddedInput& padded, bool is_viewed);

}  // namespace nnrt::vulkan
