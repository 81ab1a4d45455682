// Reads bindings and accesses from the shader itself: nobody writes them twice.
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

// A shader reads or writes the memory behind a binding as a storage buffer, or as texels of four floats
// (samplerBuffer or imageBuffer), which some drivers read much faster and this project's shaders never write.
enum class BindingKind : uint8_t { storage, texels, images };
constexpr uint64_t kTexelBytes = 16;

struct Shader {
  std::vector<Access> bindings;       // 0, 1, ... of set 0
  std::vector<BindingKind> kinds;     // one for each binding
  uint32_t push_bytes = 0;            // 0: none
  std::vector<uint32_t> constants;    // ids of its specialization constants, sorted
  uint32_t local_size_constants = 0;  // the number of x, y, z that are specialization constants with ids 0..2
};

// Reads SPIR-V; fails where it is none, or breaks this project's rules: storage buffers and buffers of texels
// alone, in set 0, with bindings from 0 on.
Result<Shader> reflect(std::span<const uint32_t> words);

struct ReflectedShader {
  EmbeddedShader embedded;
  Shader shader;
};

// An embedded shader, which is read at the first call for it and stays for the process. From any thread.
// Fails where there is none of that name.
Result<const ReflectedShader*> reflected_shader(std::string_view name);

}  // namespace nnrt::vulkan
