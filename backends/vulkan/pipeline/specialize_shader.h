// A shader cut down to what its specialization constants leave of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// values[id] is that of the constant with this id. Nothing where the optimizer fails: the shader is then used
// as it is. For SwiftShader, which runs a shader's dead branches at a hundred times the cost of the live one;
// other drivers do the same, and sooner.
std::optional<std::vector<uint32_t>> specialize(std::span<const uint32_t> words,
                                                std::span<const uint32_t> values);

}  // namespace nnrt::vulkan
