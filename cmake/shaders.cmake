# nnrt_shader(elementwise/unary F32 F16): shaders/elementwise/unary.comp compiled as unary_f32 with -DF32 and unary_f16 with -DF16.
# A variant with several parts, F16_HALF, defines each part. Without variants, the kernel has the file's name.
# nnrt_shader_library(TARGET): a static library with the table of all shaders declared in this directory, read by
# backends/vulkan/pipeline/embedded_shaders.h.

function(nnrt_shader path)
  get_filename_component(kernel ${path} NAME)
  set(variants ${ARGN})
  if(NOT variants)
    set(variants NONE)
  endif()
  foreach(variant IN LISTS variants)
    set(name ${kernel})
    set(defines "")
    if(NOT variant STREQUAL "NONE")
      string(TOLOWER "${kernel}_${variant}" name)
      string(REPLACE "_" ";" parts "${variant}")
      list(TRANSFORM parts PREPEND "-D" OUTPUT_VARIABLE defines)
    endif()
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${path}.comp)
    set(header ${CMAKE_CURRENT_BINARY_DIR}/words/${name}.h)
    add_custom_command(
      OUTPUT ${header}
      COMMAND ${Vulkan_GLSLANG_VALIDATOR_EXECUTABLE} --quiet --target-env vulkan1.2 -g0 ${defines}
        -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${NNRT_GENERATED} --depfile ${header}.d --vn k_${name} -o ${header} ${source}
      DEPENDS ${source}
      DEPFILE ${header}.d
      COMMENT "Compiling shader ${name}"
      VERBATIM)
    set_property(DIRECTORY APPEND PROPERTY NNRT_SHADERS ${name})
    set_property(DIRECTORY APPEND PROPERTY NNRT_SHADER_HEADERS ${header})
  endforeach()
endfunction()

function(nnrt_shader_library target)
  get_property(names DIRECTORY PROPERTY NNRT_SHADERS)
  get_property(headers DIRECTORY PROPERTY NNRT_SHADER_HEADERS)
  list(SORT names)
  set(includes "")
  set(rows "")
  foreach(name IN LISTS names)
    string(APPEND includes "#include \"words/${name}.h\"\n")
    string(APPEND rows "    {\"${name}\", k_${name}},\n")
  endforeach()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/embedded_shaders.cpp)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [[
#include "backends/vulkan/pipeline/embedded_shaders.h"

namespace nnrt::vulkan {
namespace {

@includes@
constexpr EmbeddedShader kShaders[] = {
@rows@};

}  // namespace

std::span<const EmbeddedShader> embedded_shaders() { return kShaders; }

}  // namespace nnrt::vulkan
]])
  add_library(${target} STATIC ${table} ${headers})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  nnrt_warnings(${target})
endfunction()
