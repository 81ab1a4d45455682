// Kernels of 3x3 convolutions as Winograd's points.
#pragma once

#include "core/base/bytes.h"

#include <cstddef>
#include <cstdint>

namespace nnrt::vulkan {

// Transforms weights [out][3][3][in] of float, for results of `side` x `side`, 4 or 2: a matrix for each of
// the (side + 2)^2 points, row by row, in blocks of sixteen output channels: [point][out / 16][in][16],
// channels that do not exist being 0.
Bytes winograd_weights(const std::byte* weights, uint32_t in, uint32_t out, uint32_t side);

// The same weights for sums without tiles: [out / 4][3][3][in][4]. There are whole vec4 of channels.
Bytes taps_by_quads(const std::byte* weights, uint32_t in, uint32_t out);

}  // namespace nnrt::vulkan
