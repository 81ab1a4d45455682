// Rewrites shaders from VK_NV_cooperative_matrix to VK_KHR_cooperative_matrix: compilers of long-term
// distributions only know the former, and many drivers only support the latter.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Returns whether the module uses VK_NV_cooperative_matrix.
bool has_nv_matrices(std::span<const uint32_t> words);

// In the KHR extension, matrix types also state their use: first operand, second operand or accumulator.
// nullopt if one type has two uses, or if a matrix layout is not constant.
std::optional<std::vector<uint32_t>> with_khr_matrices(std::span<const uint32_t> words);

}  // namespace nnrt::vulkan
