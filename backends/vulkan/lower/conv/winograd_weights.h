// Winograd-transformed weights of 3x3 convolutions.
#pragma once

#include "backends/vulkan/memory/packing.h"

#include <cstddef>
#include <cstdint>

namespace nnrt::vulkan {

// Transforms float weights [out][3][3][in] for results of `side` x `side` (4 or 2) into one matrix per point,
// (side + 2)^2 in all: [point][out / 16][in][16], with missing channels 0. The packing reads `weights` later.
Packing winograd_weights(const std::byte* weights, uint32_t in, uint32_t out, uint32_t side);

// The weights for direct sums without tiles: [out / 4][3][3][in][4]. The channels must fill whole vec4.
Packing taps_by_quads(const std::byte* weights, uint32_t in, uint32_t out);

}  // namespace nnrt::vulkan
