// Computes inputs of a CONCAT along the last dimension (image channels, for example) directly in its result,
// by kernels that store rows with a stride.
#pragma once

#include "backends/vulkan/lower/common/lowering.h"

#include <map>
#include <string_view>

namespace nnrt::vulkan {

inline constexpr std::string_view kConcatElision = "concat_elision";  // name in lists of passes

// The slices, in the CONCAT's result, of FLOAT32 tensors that only the CONCAT reads, if they are multiples of
// vec4. Skips results that are only moved further, because they may never be stored.
std::map<TensorId, ConcatSlice> concat_slices(const Graph& graph, std::span<const Shape> shapes);

}  // namespace nnrt::vulkan
