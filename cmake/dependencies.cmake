# All from Debian 12; the program `dev` lists the packages.
find_package(Threads REQUIRED)

if(NNRT_VULKAN OR NNRT_UNITY)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)  # cmake/compile_shader.py, cmake/unity_groups.py
  # The interpreter itself instead of a version manager's script, which takes several times as long to start.
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE Python3_EXECUTABLE
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

if(NNRT_VULKAN)
  find_program(Vulkan_GLSLC_EXECUTABLE glslc REQUIRED)
  find_path(Vulkan_INCLUDE_DIR vulkan/vulkan.h REQUIRED)
  add_library(Vulkan::Headers INTERFACE IMPORTED)
  target_include_directories(Vulkan::Headers INTERFACE ${Vulkan_INCLUDE_DIR})
  if(NNRT_SPIRV_TOOLS)
    find_package(SPIRV-Tools-opt REQUIRED CONFIG)
  endif()
  find_path(NNRT_SPIRV_HEADERS spirv/unified1/spirv.h REQUIRED)
endif()
if(NNRT_TESTS)
  find_package(GTest REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
if(NNRT_BENCH)
  find_package(benchmark REQUIRED)
endif()
