// Inputs of a CONCAT along the last dimension, as channels of images, can be computed in its result: by
// kernels that store rows some way apart.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <map>
#include <string_view>

namespace nnrt::vulkan {

inline constexpr std::string_view kConcatElision = "concat_elision";  // in lists of passes

// The slices in the result of tensors that a CONCAT alone reads, of FLOAT32 and in whole vec4; results that
// are only moved further are left out, for they may never be stored.
std::map<TensorId, ConcatSlice> concat_slices(const Graph& graph, std::span<const Shape> shapes);

}  // namespace nnrt::vulkan
