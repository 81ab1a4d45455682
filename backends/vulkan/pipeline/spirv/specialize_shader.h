// Removes what a shader's specialization constants make dead.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nnrt::vulkan {

// values[id] is the value of constant `id`. nullopt if the optimizer fails, or is not built in; the
// shader is then used unchanged. Needed for SwiftShader, where dead branches cost a hundred times the live
// one; other drivers eliminate them themselves.
std::optional<std::vector<uint32_t>> specialize(std::span<const uint32_t> words,
                                                std::span<const uint32_t> values);

}  // namespace nnrt::vulkan
