# nnrt_warnings(TARGET [EXPORTED]): warnings, which the presets turn into errors; hidden symbols, unless the private library exports
# some of the target (backends/exports.map.in); the sanitizers in NNRT_SANITIZE; precompiled headers; floating-point arithmetic without
# contraction, as the sources assume; unity builds if enabled.
set(NNRT_SANITIZE "" CACHE STRING "Sanitizers to build with: address (with undefined) or thread; empty for none")
set_property(CACHE NNRT_SANITIZE PROPERTY STRINGS "" address thread)

# nnrt_sanitize(TARGET): only the sanitizers, for sources with other warning options.
function(nnrt_sanitize target)
  if(NNRT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers g++ has false positives in the standard library; the release build has already checked for these warnings.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
  endif()
  if(NNRT_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE -fsanitize=address -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
    # Tests are not the subject under test, and the address sanitizer already finds null and out-of-bounds accesses: together these
    # checks take a third of the compile time.
    get_target_property(directory ${target} SOURCE_DIR)
    if(NOT directory MATCHES "^${PROJECT_SOURCE_DIR}/tests")
      target_compile_options(${target} PRIVATE -fsanitize=undefined -fno-sanitize-recover=undefined -fno-sanitize=null,object-size)
      # C clients may pass any number as an enumerator, which the API checks. The vptr check opens a pipe, which fails when tests
      # exhaust file descriptors.
      target_compile_options(${target} PRIVATE -fno-sanitize=enum,vptr)
      # In unrolled kernels, clang needs as long for this check as for everything else. g++ does it cheaply (`./dev asan`).
      target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=pointer-overflow>)
      # Without optimization, checking the alignment of each member access doubles the code. g++ checks it too.
      if(NNRT_COMMON_HEADERS_OF STREQUAL "nnrt_less_optimized_headers")
        target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=alignment>)
      endif()
    endif()
    # libFuzzer sees what is covered, except in the CPU's kernels, whose objects would be half as large again. It does without
    # the table of addresses (pc-table), whose relocations every test would wait for.
    if(NNRT_FUZZ AND (directory MATCHES "^${PROJECT_SOURCE_DIR}/tests/fuzz" OR NOT directory MATCHES "^${PROJECT_SOURCE_DIR}/(tests|backends/cpu)"))
      target_compile_options(${target} PRIVATE -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp)
    endif()
  elseif(NNRT_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
endfunction()

function(nnrt_warnings target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  if("EXPORTED" IN_LIST ARGN)
    set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)  # the functions are called directly and inlined all the same
    if(NNRT_PRECOMPILED)
      target_precompile_headers(${target} PRIVATE ${NNRT_COMMON_HEADERS})  # headers of its own, because of its visibility
    endif()
  endif()
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    # g++ contracts multiplications and additions across statements if the target has FMA. Kernels that want it enable it explicitly.
    target_compile_options(${target} PRIVATE -ffp-contract=off)
  endif()
  nnrt_sanitize(${target})
  nnrt_precompiled(${target})
  nnrt_unity(${target})
endfunction()
