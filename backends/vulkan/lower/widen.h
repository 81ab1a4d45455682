// Inputs whose channels are made up to fours with zeros, as images have three of them: kernels read vectors
// then.
#pragma once

#include "backends/vulkan/lowering.h"

namespace nnrt::vulkan {

// The channels of a convolution's input if it is made up to fours, where that pays, or as they are.
uint32_t widened_channels(const LoweringContext& context, uint32_t groups);

// Adds what makes up input 0, and gives the result.
Buffer widened_input(const LoweringContext& context);

}  // namespace nnrt::vulkan
