# Targets `format` (rewrites files), `check` (fails on unformatted files or failing tests) and `tidy`.
find_program(NNRT_CLANG_FORMAT clang-format)
find_program(NNRT_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-14)

set(nnrt_sources_command
  git -C ${CMAKE_SOURCE_DIR} ls-files --cached --others --exclude-standard
  "*.h" "*.cpp" "*.comp" "*.glsl" ":!tests/conformance/runner" ":!tests/nnapi/runner")

if(NNRT_CLANG_FORMAT)
  add_custom_target(format
    COMMAND ${nnrt_sources_command} | sed "s|^|${CMAKE_SOURCE_DIR}/|" | xargs ${NNRT_CLANG_FORMAT} -i
    COMMENT "Formatting" VERBATIM)
  add_custom_target(check_format
    COMMAND ${nnrt_sources_command} | sed "s|^|${CMAKE_SOURCE_DIR}/|" | xargs ${NNRT_CLANG_FORMAT} --dry-run --Werror
    COMMENT "Checking the format" VERBATIM)
  add_custom_target(check
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target check_format
    COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR}
    COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${CMAKE_BINARY_DIR} --output-on-failure
    USES_TERMINAL VERBATIM)
endif()
if(NNRT_RUN_CLANG_TIDY)
  # With NNRT_UNITY, sources compiled together are analyzed together, from generated files.
  add_custom_target(tidy
    COMMAND ${NNRT_RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR}
      "(${CMAKE_SOURCE_DIR}|${CMAKE_BINARY_DIR})/(api|backends|core|examples|nnapi|python|tools)/.*"
    USES_TERMINAL VERBATIM)
endif()
