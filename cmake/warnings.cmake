# nnrt_warnings(TARGET): warnings, which the presets make errors; hidden symbols; the sanitizers that NNRT_SANITIZE names;
# precompiled headers; floating-point arithmetic that is rounded step by step, as the sources say; several sources at once
# where that is wanted.
set(NNRT_SANITIZE "" CACHE STRING "Sanitizers to build with: address (with undefined) or thread; empty for none")
set_property(CACHE NNRT_SANITIZE PROPERTY STRINGS "" address thread)

# nnrt_sanitize(TARGET): the sanitizers alone, for sources with warnings of their own.
function(nnrt_sanitize target)
  if(NNRT_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers g++ warns falsely of what the standard library does with its own memory; the release build has warned already.
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds -Wno-restrict)
  endif()
  if(NNRT_SANITIZE STREQUAL "address")
    target_compile_options(${target} PRIVATE -fsanitize=address -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
    # Tests are not what is tested, and the address sanitizer finds null and what lies outside of objects: together
    # a third of the time to compile.
    get_target_property(directory ${target} SOURCE_DIR)
    if(NOT directory MATCHES "^${PROJECT_SOURCE_DIR}/tests")
      target_compile_options(${target} PRIVATE -fsanitize=undefined -fno-sanitize-recover=undefined -fno-sanitize=null,object-size)
      # A client in C may pass any number as an enumerator, which the API checks. What a virtual table is checked with
      # opens a pipe, and fails where tests leave no descriptors.
      target_compile_options(${target} PRIVATE -fno-sanitize=enum,vptr)
    endif()
    if(NNRT_FUZZ AND (directory MATCHES "^${PROJECT_SOURCE_DIR}/tests/fuzz" OR NOT directory MATCHES "^${PROJECT_SOURCE_DIR}/tests"))
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)  # libFuzzer sees what is covered
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
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    # g++ multiplies and adds across statements if every processor does both in one instruction. Kernels that want it say so.
    target_compile_options(${target} PRIVATE -ffp-contract=off)
  endif()
  nnrt_sanitize(${target})
  nnrt_precompiled(${target})
  nnrt_unity(${target})
endfunction()
