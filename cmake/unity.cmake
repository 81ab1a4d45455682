# Compiles several sources as one, since most of the time goes into headers. The presets switch it on. A build in which one source
# is edited at a time is faster without it.
option(NNRT_UNITY "Compile several sources at once (needs Python 3)" OFF)
if(NNRT_UNITY)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# nnrt_unity(TARGET): compiles the target's current sources in groups. Those with their own compile options stay separate.
function(nnrt_unity target)
  if(NOT NNRT_UNITY)
    return()
  endif()
  get_target_property(all ${target} SOURCES)
  set(sources)  # that may share a group
  set(separate)
  foreach(source ${all})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(definitions ${source} COMPILE_DEFINITIONS)
    if(path MATCHES "[.]cpp$" AND EXISTS ${path} AND NOT options AND NOT definitions)  # not what the build generates
      list(APPEND sources ${path})
    else()
      list(APPEND separate ${source})
    endif()
  endforeach()
  list(LENGTH sources count)
  if(count LESS 2)
    return()
  endif()
  set(script ${PROJECT_SOURCE_DIR}/cmake/unity_groups.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${script})
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${script} ${CMAKE_CURRENT_BINARY_DIR}/unity/${target} ${sources}
    OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" groups "${groups}")
  foreach(group ${groups})
    string(REPLACE "|" ";" group "${group}")
    list(POP_FRONT group together)
    list(REMOVE_ITEM sources ${group})
    list(APPEND separate ${together})
  endforeach()
  # g++ attributes symbols local to one source to a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  set_target_properties(${target} PROPERTIES SOURCES "${separate};${sources}")
endfunction()
