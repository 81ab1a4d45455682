// Reads bindings and their accesses from the SPIR-V, so that they need no second declaration.
#pragma once

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nnrt::vulkan {

struct Access {
  bool reads = false, writes = false;

  bool operator==(const Access&) const = default;
};

// Storage buffers, or texels of four floats (samplerBuffer or imageBuffer), which some drivers read much
// faster. Our shaders never write texels.
enum class BindingKind : uint8_t { storage, texels, images };
constexpr uint64_t kTexelBytes = 16;

struct Shader {
  std::vector<Access> bindings;       // by binding of set 0
  std::vector<BindingKind> kinds;     // by binding
  uint32_t push_bytes = 0;            // 0: none
  std::vector<uint32_t> constants;    // ids of specialization constants, sorted
  uint32_t local_size_constants = 0;  // how many of x, y, z are the specialization constants 0..2
};

// Reflects a module. Fails if it is not SPIR-V, or breaks our rules: only storage and texel buffers, in set
// 0, with bindings from 0 without gaps.
Result<Shader> reflect(std::span<const uint32_t> words);

struct ReflectedShader {
  EmbeddedShader embedded;
  Shader shader;
};

// An embedded shader, reflected at first use and kept for the life of the process. Thread safe. Fails if the
// name is unknown.
Result<const ReflectedShader*> reflected_shader(std::string_view name);

}  // namespace nnrt::vulkan
