# Tests that need no Vulkan driver. `./dev test` builds them once, with the sanitizers, and its release build without them.
option(NNRT_UNIT_TESTS "Build the tests that need no Vulkan driver" ON)

# nnrt_unit_tests_of(PROGRAM PREFIX [properties]): each test of a program with GoogleTest as one of CTest, labelled unit. In a cross
# build the program is one test, labelled emulated as well: emulators start slowly.
function(nnrt_unit_tests_of program prefix)
  if(CMAKE_CROSSCOMPILING)
    cmake_parse_arguments(PARSE_ARGV 2 test "" "" "ENVIRONMENT")
    add_test(NAME ${prefix}${program} COMMAND ${program})
    set_tests_properties(${prefix}${program} PROPERTIES LABELS "unit;emulated" TIMEOUT 1800 ENVIRONMENT "${test_ENVIRONMENT}")
    return()
  endif()
  gtest_discover_tests(${program} TEST_PREFIX ${prefix} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
    PROPERTIES LABELS unit ${ARGN})
endfunction()
