# nnrt_shader(elementwise/unary F32 F16): shaders/elementwise/unary.comp compiled as unary_f32 with -DF32 and unary_f16 with -DF16.
# A variant with several parts, F16_HALF, defines each part. Without variants, the kernel has the file's name.
# nnrt_shader_library(TARGET): a static library with the table of all shaders declared in this directory, read by
# backends/vulkan/pipeline/embedded_shaders.h.

function(nnrt_shader path)
  get_filename_component(name ${path} NAME)
  set(variants ${ARGN})
  if(NOT variants)
    set(variants NONE)
  endif()
  set(headers "")
  set(kernels "")
  foreach(variant IN LISTS variants)
    set(kernel ${name})
    set(defines "")
    if(NOT variant STREQUAL "NONE")
      string(TOLOWER "${name}_${variant}" kernel)
      string(REPLACE "_" " " defines "${variant}")
    endif()
    set_property(DIRECTORY APPEND PROPERTY NNRT_SHADERS ${kernel})
    list(APPEND headers ${CMAKE_CURRENT_BINARY_DIR}/words/${kernel}.h)
    list(APPEND kernels "${kernel} ${defines}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY NNRT_SHADER_HEADERS ${headers})
  nnrt_compile_shader(${CMAKE_CURRENT_SOURCE_DIR}/${path}.comp ${CMAKE_CURRENT_BINARY_DIR}/words "${headers}" "${kernels}")
endfunction()

# nnrt_compile_shader(SOURCE FOLDER HEADERS KERNELS): HEADERS are FOLDER/<kernel>.h, KERNELS "kernel DEFINE...".
function(nnrt_compile_shader source folder headers kernels)
  get_filename_component(name ${source} NAME_WE)
  set(script ${PROJECT_SOURCE_DIR}/cmake/compile_shader.py)
  # Ninja refuses a depfile that names a variant which is gone, so other variants get another one.
  string(MD5 variants "${kernels}")
  set(depfile ${folder}/${name}_${variants}.d)
  add_custom_command(
    OUTPUT ${headers}
    COMMAND ${Python3_EXECUTABLE} -B ${script} ${Vulkan_GLSLC_EXECUTABLE} ${source} ${folder} ${depfile}
      ${PROJECT_SOURCE_DIR}/shaders/include:${NNRT_GENERATED} ${kernels}
    DEPENDS ${source} ${script} ${PROJECT_SOURCE_DIR}/cmake/shader_interface.py
      ${PROJECT_SOURCE_DIR}/cmake/cooperative_matrices.py
    DEPFILE ${depfile}
    COMMENT "Compiling shader ${name}"
    VERBATIM)
endfunction()

function(nnrt_shader_library target)
  get_property(names DIRECTORY PROPERTY NNRT_SHADERS)
  get_property(headers DIRECTORY PROPERTY NNRT_SHADER_HEADERS)
  list(SORT names)
  set(includes "")
  set(rows "")
  foreach(name IN LISTS names)
    string(APPEND includes "#include \"words/${name}.h\"\n")
    string(APPEND rows "    {\"${name}\", k_${name}, khr_${name}, accesses_${name}, kinds_${name}, push_bytes_${name}},\n")
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
@includes@
#include <algorithm>

namespace nnrt::vulkan {
namespace {

constexpr EmbeddedShader kShaders[] = {
@rows@};

}  // namespace

std::span<const EmbeddedShader> embedded_shaders() { return kShaders; }

const EmbeddedShader* find_shader(std::string_view name) {
  const auto found = std::ranges::lower_bound(kShaders, name, {}, &EmbeddedShader::name);
  return found != std::end(kShaders) && found->name == name ? found : nullptr;
}

}  // namespace nnrt::vulkan
]])
  add_library(${target} STATIC ${table} ${headers})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  nnrt_warnings(${target})
endfunction()
