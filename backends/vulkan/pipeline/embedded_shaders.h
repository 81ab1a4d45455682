// The SPIR-V shaders embedded by the build, one per variant in shaders/CMakeLists.txt.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nnrt::vulkan {

struct EmbeddedShader {
  std::string_view name;  // "<kernel>_<variant>": "unary_f32"
  std::span<const uint32_t> words;
};

// Sorted by name.
std::span<const EmbeddedShader> embedded_shaders();

}  // namespace nnrt::vulkan
