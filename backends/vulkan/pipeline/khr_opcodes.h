// VK_KHR_cooperative_matrix as a rewrite of a shader that was compiled for VK_NV_cooperative_matrix:
// compilers of long-term distributions know only that one, and many drivers only the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// Returns whether it has matrices of VK_NV_cooperative_matrix.
bool has_nv_matrices(std::span<const uint32_t> words);

// The shader by instructions of the KHR extension, whose types of matrices also say how they are used: as the
// first or second operand or the sum of a multiplication. Nothing where a type is used in two of these ways,
// or the layout of a matrix in memory is no constant.
std::optional<std::vector<uint32_t>> with_khr_matrices(std::span<const uint32_t> words);

}  // namespace nnrt::vulkan
