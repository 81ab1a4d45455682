// Removes what a shader's specialization constants make dead, before a driver parses and inlines it. Far less
// thorough than specialize(), and a hundred times as fast.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// values[id] is the value of constant `id`, which stays a constant. Removes the branches and switch cases
// that constants decide, and functions that are not called any more. Functions are cloned for their constant
// arguments: parameters that GLSL declares as `const`. nullopt if the words are malformed or have an unknown
// instruction.
std::optional<std::vector<uint32_t>> prune(std::span<const uint32_t> words, std::span<const uint32_t> values);

}  // namespace nnrt::vulkan
