# nnrt_sanitizer_runtime(OUT): the value of LD_PRELOAD with which a program built without the sanitizer loads libraries built
# with it; empty if the compiler has only a static runtime.
function(nnrt_sanitizer_runtime out)
  string(SUBSTRING ${NNRT_SANITIZE} 0 1 letter)  # asan, tsan
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(names libclang_rt.${letter}san-${CMAKE_SYSTEM_PROCESSOR}.so)
  else()
    set(names lib${letter}san.so)
  endif()
  list(APPEND names libstdc++.so.6)  # the runtime looks up the function that throws exceptions when it starts
  set(files "")
  foreach(name IN LISTS names)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${file}")
      set(${out} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND files ${file})
  endforeach()
  list(JOIN files ":" files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()
