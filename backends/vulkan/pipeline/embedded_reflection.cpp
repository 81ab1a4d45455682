#include "backends/vulkan/pipeline/embedded_reflection.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace nnrt::vulkan {

Result<const ReflectedShader*> reflected_shader(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string_view, ReflectedShader> known;  // by the embedded table's names
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return &found->second;
  const auto table = embedded_shaders();
  const auto found = std::ranges::lower_bound(table, name, {}, &EmbeddedShader::name);
  if (found == table.end() || found->name != name)
    return Error{Code::failed, cat("There is no shader '", name, "'.")};
  NNRT_ASSIGN(Shader shader, reflect(found->words));
  return &known.emplace(found->name, ReflectedShader{*found, std::move(shader)}).first->second;
}

}  // namespace nnrt::vulkan
