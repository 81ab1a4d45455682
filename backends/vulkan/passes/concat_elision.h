// What CONCAT joins along the last dimension, as channels of images, can be computed where it belongs: by
// kernels that store rows some way apart.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <map>

namespace nnrt::vulkan {

// Of each tensor that is read by a CONCAT alone, where its rows lie in the result. Of FLOAT32, in whole
// fours; results that are moved further are left out, for they may never be stored.
std::map<TensorId, ConcatSlice> concat_slices(const Graph& graph, std::span<const Shape> shapes);

}  // namespace nnrt::vulkan
