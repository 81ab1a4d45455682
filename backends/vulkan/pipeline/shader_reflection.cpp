#include "backends/vulkan/pipeline/shader_reflection.h"

#include "backends/vulkan/pipeline/spirv/khr_opcodes.h"
#include "backends/vulkan/pipeline/spirv/spirv.h"
#include "core/base/text.h"

#include <spirv_cross/spirv_cross_c.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace nnrt::vulkan {
namespace {

struct ContextCloser {
  void operator()(spvc_context context) const { spvc_context_destroy(context); }
};
using SpvcContext = std::unique_ptr<spvc_context_s, ContextCloser>;

Status check(spvc_context context, spvc_result result) {
  if (result == SPVC_SUCCESS) return {};
  return Error{Code::failed,
               cat("Cannot parse a shader: ", spvc_context_get_last_error_string(context), ".")};
}

// Lists one kind of resource.
Result<std::span<const spvc_reflected_resource>> list(spvc_context context, spvc_resources resources,
                                                      spvc_resource_type type) {
  const spvc_reflected_resource* found = nullptr;
  size_t count = 0;
  NNRT_TRY(check(context, spvc_resources_get_resource_list_for_type(resources, type, &found, &count)));
  return std::span(found, count);
}

// The index of a resource among the bindings; an error if out of range or already used.
Result<size_t> binding_of(spvc_compiler compiler, const spvc_reflected_resource& resource,
                          const Shader& shader) {
  const unsigned set = spvc_compiler_get_decoration(compiler, resource.id, SpvDecorationDescriptorSet);
  const unsigned binding = spvc_compiler_get_decoration(compiler, resource.id, SpvDecorationBinding);
  const size_t count = shader.bindings.size();
  const bool is_free = binding < count && shader.bindings[binding] == Access{};
  if (set == 0 && is_free) return size_t(binding);
  return Error{Code::failed, cat("Binding (", set, ", ", binding, ") is not one of (0, 0) to (0, ", count - 1,
                                 "), each once.")};
}

Status read_texels(spvc_compiler compiler, std::span<const spvc_reflected_resource> images, BindingKind kind,
                   Shader& shader) {
  for (const spvc_reflected_resource& image : images) {
    const spvc_type type = spvc_compiler_get_type_handle(compiler, image.type_id);
    if (spvc_type_get_image_dimension(type) != SpvDimBuffer) {
      return Error{Code::failed, cat("Shader resource '", image.name, "' is not a buffer.")};
    }
    NNRT_ASSIGN(const size_t binding, binding_of(compiler, image, shader));
    shader.bindings[binding] = {true, false};
    shader.kinds[binding] = kind;
  }
  return {};
}

Status read_bindings(spvc_context context, spvc_compiler compiler, spvc_resources resources, Shader& shader) {
  NNRT_ASSIGN(const auto buffers, list(context, resources, SPVC_RESOURCE_TYPE_STORAGE_BUFFER));
  NNRT_ASSIGN(const auto texels, list(context, resources, SPVC_RESOURCE_TYPE_SAMPLED_IMAGE));
  NNRT_ASSIGN(const auto images, list(context, resources, SPVC_RESOURCE_TYPE_STORAGE_IMAGE));
  shader.bindings.resize(buffers.size() + texels.size() + images.size());
  shader.kinds.resize(shader.bindings.size());
  NNRT_TRY(read_texels(compiler, texels, BindingKind::texels, shader));
  NNRT_TRY(read_texels(compiler, images, BindingKind::images, shader));
  for (const spvc_reflected_resource& buffer : buffers) {
    NNRT_ASSIGN(const size_t binding, binding_of(compiler, buffer, shader));
    const SpvDecoration* decorations = nullptr;
    size_t count = 0;
    NNRT_TRY(check(context,
                   spvc_compiler_get_buffer_block_decorations(compiler, buffer.id, &decorations, &count)));
    const auto has = [&](SpvDecoration wanted) {
      return std::find(decorations, decorations + count, wanted) != decorations + count;
    };
    shader.bindings[binding] = {!has(SpvDecorationNonReadable), !has(SpvDecorationNonWritable)};
  }
  return {};
}

Status read_push(spvc_context context, spvc_compiler compiler, spvc_resources resources, Shader& shader) {
  NNRT_ASSIGN(const auto blocks, list(context, resources, SPVC_RESOURCE_TYPE_PUSH_CONSTANT));
  for (const spvc_reflected_resource& block : blocks) {
    size_t bytes = 0;
    const spvc_type type = spvc_compiler_get_type_handle(compiler, block.base_type_id);
    NNRT_TRY(check(context, spvc_compiler_get_declared_struct_size(compiler, type, &bytes)));
    shader.push_bytes = uint32_t(bytes);
  }
  return {};
}

Status read_constants(spvc_context context, spvc_compiler compiler, Shader& shader) {
  const spvc_specialization_constant* constants = nullptr;
  size_t count = 0;
  NNRT_TRY(check(context, spvc_compiler_get_specialization_constants(compiler, &constants, &count)));
  for (size_t i = 0; i < count; ++i) shader.constants.push_back(constants[i].constant_id);
  std::sort(shader.constants.begin(), shader.constants.end());
  spvc_specialization_constant local[3] = {};
  spvc_compiler_get_work_group_size_specialization_constants(compiler, &local[0], &local[1], &local[2]);
  for (uint32_t i = 0; i < 3; ++i) {
    if (local[i].id != 0 && local[i].constant_id == i) ++shader.local_size_constants;
  }
  return {};
}

// Anything but buffers and push constants would need descriptors that we don't write.
Status refuse_other_resources(spvc_context context, spvc_resources resources) {
  for (const spvc_resource_type type :
       {SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, SPVC_RESOURCE_TYPE_SEPARATE_IMAGE,
        SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, SPVC_RESOURCE_TYPE_ATOMIC_COUNTER}) {
    NNRT_ASSIGN(const auto found, list(context, resources, type));
    if (!found.empty()) {
      return Error{Code::failed, cat("Shader resource '", found[0].name, "' is not a buffer.")};
    }
  }
  return {};
}

// A module stripped of function bodies and of matrix types, which SPIRV-Cross cannot read.
class Declarations {
 public:
  explicit Declarations(std::span<const uint32_t> words)
      : words_(words.begin(), words.begin() + spirv::kHeaderWords) {
    spirv::for_each_instruction(words, [&](const spirv::Instruction& i) { read(i); });
  }

  std::vector<uint32_t> take() { return std::move(words_); }

 private:
  void read(const spirv::Instruction& i) {
    if (i.opcode == SpvOpEntryPoint) main_ = i[2];
    if (i.opcode == SpvOpFunction) is_main_ = i[2] == main_;
    in_functions_ = in_functions_ || i.opcode == SpvOpFunction;
    if (in_functions_ ? is_frame(i) : !is_cooperative_matrix(i)) spirv::append(words_, i.words);
  }

  // True for instructions of main that make it an empty function.
  bool is_frame(const spirv::Instruction& i) {
    if (!is_main_) return false;
    if (i.opcode == SpvOpFunction) return true;
    if (i.opcode == SpvOpLabel && !has_block_) {
      has_block_ = true;
      spirv::append(words_, i.words);
      spirv::append(words_, SpvOpReturn, {});
    }
    return i.opcode == SpvOpFunctionEnd;
  }

  bool is_cooperative_matrix(const spirv::Instruction& i) {
    const auto drop = [&](uint32_t id, bool condition) {
      if (condition) dropped_.insert(id);
      return condition;
    };
    const auto any_from = [&](size_t first) {
      return i.words.size() > first &&
             std::ranges::any_of(i.words.subspan(first), [&](uint32_t id) { return dropped_.contains(id); });
    };
    switch (i.opcode) {
      case SpvOpTypeCooperativeMatrixNV: return drop(i[1], true);
      case SpvOpTypePointer: return drop(i[1], dropped_.contains(i[3]));
      case SpvOpTypeArray: return drop(i[1], dropped_.contains(i[2]));
      case SpvOpTypeStruct:
      case SpvOpTypeFunction: return drop(i[1], any_from(2));
      case SpvOpConstantComposite:
      case SpvOpConstantNull: return drop(i[2], dropped_.contains(i[1]));
      default: return false;
    }
  }

  std::vector<uint32_t> words_;
  std::set<uint32_t> dropped_;
  uint32_t main_ = 0;
  bool in_functions_ = false, is_main_ = false, has_block_ = false;
};

}  // namespace

Result<Shader> reflect(std::span<const uint32_t> all) {
  const std::vector<uint32_t> declarations =
      has_nv_matrices(all) ? Declarations(all).take() : std::vector<uint32_t>();
  const std::span<const uint32_t> words = declarations.empty() ? all : declarations;
  spvc_context raw = nullptr;
  if (spvc_context_create(&raw) != SPVC_SUCCESS)
    return Error{Code::memory, "Out of memory while parsing a shader."};
  const SpvcContext context(raw);
  spvc_parsed_ir ir = nullptr;
  NNRT_TRY(check(raw, spvc_context_parse_spirv(raw, words.data(), words.size(), &ir)));
  spvc_compiler compiler = nullptr;
  NNRT_TRY(check(raw, spvc_context_create_compiler(raw, SPVC_BACKEND_NONE, ir,
                                                   SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler)));
  spvc_resources resources = nullptr;
  NNRT_TRY(check(raw, spvc_compiler_create_shader_resources(compiler, &resources)));

  Shader shader;
  NNRT_TRY(refuse_other_resources(raw, resources));
  NNRT_TRY(read_bindings(raw, compiler, resources, shader));
  NNRT_TRY(read_push(raw, compiler, resources, shader));
  NNRT_TRY(read_constants(raw, compiler, shader));
  return shader;
}

Result<const ReflectedShader*> reflected_shader(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string_view, ReflectedShader> known;  // keyed by the embedded table's names
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
