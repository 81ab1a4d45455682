# Targets `lint`, `format` (rewrites sources), `check` (all of lint, build and tests) and `tidy`.
find_package(Python3 COMPONENTS Interpreter)
find_program(NNRT_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)

if(Python3_FOUND)
  set(nnrt_lint ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/lint)
  add_custom_target(lint COMMAND ${nnrt_lint} USES_TERMINAL VERBATIM)
  add_custom_target(format COMMAND ${nnrt_lint} --fix-format USES_TERMINAL VERBATIM)
  add_custom_target(check
    COMMAND ${nnrt_lint}
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} --output-on-failure
    USES_TERMINAL VERBATIM)
endif()
if(NNRT_RUN_CLANG_TIDY)
  # With NNRT_UNITY, clang-tidy reads the generated files that include several sources.
  add_custom_target(tidy
    COMMAND ${NNRT_RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR}
      "(${CMAKE_SOURCE_DIR}|${CMAKE_BINARY_DIR})/(api|backends|core|examples|nnapi|python|tools)/.*"
    USES_TERMINAL VERBATIM)
endif()
