# Runs cross-built programs in the emulator of the toolchain file. CMake runs a test's command in it; programs that a test starts
# are wrapped in a script.
if(CMAKE_CROSSCOMPILING)
  add_custom_target(emulated)  # builds what the tests of the label emulated need
endif()

# Tests that cannot pass under emulation, with the reason: "PROGRAM TEST reason". `./dev aarch64` prints them. CTest tests that
# do not run there at all lack the label emulated; see docs/platforms.md.
set(NNRT_NOT_EMULATED
  "host_tests HostShortage.OutOfThreadsRejectsNewClientsOnly the loader of the machine that emulates adds a line to the log whose lines it counts"
  "host_tests HostShortage.OfFilesLetsNewClientsWait the loader of the machine that emulates adds a line to the log whose lines it counts"
  "tool_tests All/ToolMeasurement.NamesTheDeviceOfACrash/Abort the emulator adds a line about the signal")
if(CMAKE_CROSSCOMPILING)
  list(JOIN NNRT_NOT_EMULATED "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/emulator/left_out.txt "${lines}\n")
endif()

# nnrt_emulated_tests(VARIABLE PROGRAM): the GoogleTest argument that excludes those tests, if any.
function(nnrt_emulated_tests variable program)
  set(left_out "")
  foreach(line IN LISTS NNRT_NOT_EMULATED)
    if(CMAKE_CROSSCOMPILING AND line MATCHES "^${program} ([^ ]+) ")
      list(APPEND left_out ${CMAKE_MATCH_1})
    endif()
  endforeach()
  if(left_out)
    list(JOIN left_out ":" left_out)
    set(left_out --gtest_filter=-${left_out})
  endif()
  set(${variable} ${left_out} PARENT_SCOPE)
endfunction()

# nnrt_started_file(VARIABLE TARGET): the file tests execute to run the program TARGET. The program treats it as its own path, so
# that death tests start it again.
function(nnrt_started_file variable target)
  if(NOT CMAKE_CROSSCOMPILING)
    set(${variable} $<TARGET_FILE:${target}> PARENT_SCOPE)
    return()
  endif()
  set(script ${PROJECT_BINARY_DIR}/emulator/${target})
  get_property(scripts GLOBAL PROPERTY NNRT_EMULATOR_SCRIPTS)
  if(NOT target IN_LIST scripts)
    set_property(GLOBAL APPEND PROPERTY NNRT_EMULATOR_SCRIPTS ${target})
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    file(GENERATE OUTPUT ${script} CONTENT "#!/bin/sh\nexec ${emulator} -0 \"$0\" $<TARGET_FILE:${target}> \"$@\"\n"
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
  set(${variable} ${script} PARENT_SCOPE)
endfunction()

# nnrt_emulated(TEST target...): in a cross build, labels the test as emulated; the targets are its dependencies.
function(nnrt_emulated test)
  if(CMAKE_CROSSCOMPILING)
    set_property(TEST ${test} APPEND PROPERTY LABELS emulated)
    add_dependencies(emulated ${ARGN})
  endif()
endfunction()
