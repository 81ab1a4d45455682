# The list of the driver's sources for OpenHarmony's build: ohos/sources.gni, which the target write_board_sources writes and a test
# compares with the sources and options of the targets that are linked into the driver.
set(sources "")
set(contracted "")
foreach(target IN ITEMS nnrt_core nnrt_cpu nnrt_host nnrt_plugin nnrt_vulkan nnrt_devices nnrt_driver nnrt_vdi_impl)
  get_target_property(names ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(name IN LISTS names)
    cmake_path(ABSOLUTE_PATH name BASE_DIRECTORY ${folder} NORMALIZE OUTPUT_VARIABLE source)
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/ohos)
    if("-ffp-contract=fast" IN_LIST options)
      list(APPEND contracted "  \"${source}\",\n")
    else()
      list(APPEND sources "  \"${source}\",\n")
    endif()
  endforeach()
endforeach()
list(SORT sources)
list(SORT contracted)
list(JOIN sources "" sources)
list(JOIN contracted "" contracted)
set(board_sources ${PROJECT_BINARY_DIR}/sources.gni)
file(CONFIGURE OUTPUT ${board_sources} @ONLY CONTENT [[
# Written by the target write_board_sources.
nnrt_sources = [
@sources@]

# Compiled with -ffp-contract=fast.
nnrt_contracted_sources = [
@contracted@]
]])
set(committed ${PROJECT_SOURCE_DIR}/ohos/sources.gni)
add_custom_target(write_board_sources COMMAND ${CMAKE_COMMAND} -E copy ${board_sources} ${committed})
if(NNRT_TESTS)
  add_test(NAME unit.board_sources COMMAND ${CMAKE_COMMAND} -E compare_files ${board_sources} ${committed})
  set_tests_properties(unit.board_sources PROPERTIES LABELS unit)
endif()
