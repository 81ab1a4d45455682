// The SPIR-V shaders embedded by the build, one per variant in shaders/CMakeLists.txt, and what they bind.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace nnrt::vulkan {

struct Access {
  bool reads = false, writes = false;

  bool operator==(const Access&) const = default;
};

// Storage buffers, or texels of four floats (samplerBuffer or imageBuffer), which some drivers read much
// faster. Our shaders never write texels.
enum class BindingKind : uint8_t { storage, texels, images };
constexpr uint64_t kTexelBytes = 16;

// The specialization constants 0 to 2 are the local size.
struct EmbeddedShader {
  std::string_view name;  // "<kernel>_<variant>": "unary_f32"
  std::span<const uint32_t> words;
  std::span<const uint32_t> khr_words;  // by VK_KHR_cooperative_matrix; `words` are by the one of NV
  std::span<const Access> bindings;     // of set 0
  std::span<const BindingKind> kinds;   // by binding
  uint32_t push_bytes = 0;              // 0: none
};

// Sorted by name.
std::span<const EmbeddedShader> embedded_shaders();

// Null if there is none of that name.
const EmbeddedShader* find_shader(std::string_view name);

}  // namespace nnrt::vulkan
