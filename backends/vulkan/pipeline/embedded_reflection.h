// The embedded shaders as reflect() reads them.
#pragma once

#include "backends/vulkan/pipeline/embedded_shaders.h"
#include "backends/vulkan/pipeline/shader_reflection.h"
#include "core/base/result.h"

#include <string_view>

namespace nnrt::vulkan {

struct ReflectedShader {
  EmbeddedShader embedded;
  Shader shader;
};

// A shader is read at the first call for it, and stays for the process. From any thread. Fails where there is
// none of that name.
Result<const ReflectedShader*> reflected_shader(std::string_view name);

}  // namespace nnrt::vulkan
