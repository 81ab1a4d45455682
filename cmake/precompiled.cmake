# The standard headers that nearly every source includes, precompiled: parsing them takes a quarter of the compile time.
# Only sanitizer builds use this: g++ 12 takes optimization options from a precompiled header instead of the source, and
# occasionally crashes. Sources still include what they use.
option(NNRT_PRECOMPILED "Compile the standard headers once for all sources" OFF)
set(NNRT_COMMON_HEADERS
  <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <filesystem> <functional> <limits>
  <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <utility> <variant> <vector>)

# nnrt_headers(TARGET header...): a target whose precompiled headers others reuse.
function(nnrt_headers target)
  if(NOT NNRT_PRECOMPILED)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
  add_library(${target} OBJECT ${source})
  target_precompile_headers(${target} PRIVATE ${ARGN})
  nnrt_warnings(${target})
endfunction()

# nnrt_no_loops_over_data(): the folder's sources run as fast with less optimization, and compile in half the time.
set(NNRT_LESS_OPTIMIZATION $<$<CONFIG:Release>:-O1>)
if(NNRT_SANITIZE)
  set(NNRT_LESS_OPTIMIZATION -O0)
endif()
macro(nnrt_no_loops_over_data)
  add_compile_options(${NNRT_LESS_OPTIMIZATION})
  set(NNRT_COMMON_HEADERS_OF nnrt_less_optimized_headers)
endmacro()
set(NNRT_COMMON_HEADERS_OF nnrt_common_headers)

# nnrt_vectorized_loops(): the folder's loops are vectorized, but not unrolled, cloned or unswitched, which takes g++ half as long
# again. Kernels of the CPU device need that.
set(NNRT_VECTORIZED_LOOPS $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O2;-ftree-vectorize;-fvect-cost-model=dynamic>)
macro(nnrt_vectorized_loops)
  add_compile_options("${NNRT_VECTORIZED_LOOPS}")
endmacro()

# nnrt_precompiled(TARGET): product libraries reuse the headers of nnrt_common_headers or, in folders without loops over data,
# of nnrt_less_optimized_headers; GoogleTest programs those of nnrt_test_headers. Compilers accept them only with the options
# they were compiled with.
function(nnrt_precompiled target)
  get_target_property(own ${target} PRECOMPILE_HEADERS)
  if(own OR NOT NNRT_PRECOMPILED)
    return()
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  get_target_property(type ${target} TYPE)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  if(directory MATCHES "^${PROJECT_SOURCE_DIR}/tests/fuzz")
    return()  # libFuzzer sees what is covered there (cmake/warnings.cmake), of which the headers know nothing
  endif()
  if(type STREQUAL "EXECUTABLE" AND libraries MATCHES "GTest::")
    target_precompile_headers(${target} REUSE_FROM nnrt_test_headers)
  elseif(NOT directory MATCHES "^${PROJECT_SOURCE_DIR}/tests" AND NOT type STREQUAL "EXECUTABLE")
    target_precompile_headers(${target} REUSE_FROM ${NNRT_COMMON_HEADERS_OF})
  endif()
endfunction()
