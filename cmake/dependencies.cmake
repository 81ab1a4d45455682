# All from Debian 12; the program `dev` lists the packages.
find_package(Threads REQUIRED)

if(NNRT_VULKAN OR NNRT_UNITY)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)  # cmake/compile_shader.py, cmake/unity_groups.py
  # The interpreter itself instead of a version manager's script, which takes several times as long to start.
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)" OUTPUT_VARIABLE Python3_EXECUTABLE
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

if(NNRT_VULKAN)
  find_package(Vulkan REQUIRED COMPONENTS glslc)
  find_package(SPIRV-Tools-opt REQUIRED CONFIG)
  find_library(NNRT_SPIRV_CROSS spirv-cross-c-shared REQUIRED)
  find_path(NNRT_SPIRV_CROSS_INCLUDE spirv_cross/spirv_cross_c.h REQUIRED)
  add_library(nnrt_spirv_cross INTERFACE)
  target_include_directories(nnrt_spirv_cross SYSTEM INTERFACE ${NNRT_SPIRV_CROSS_INCLUDE})
  target_link_libraries(nnrt_spirv_cross INTERFACE ${NNRT_SPIRV_CROSS})
endif()
if(NNRT_TESTS)
  find_package(GTest REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
if(NNRT_BENCH)
  find_package(benchmark REQUIRED)
endif()
