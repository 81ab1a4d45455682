# Tests that need no Vulkan driver. `./dev test` builds them with the sanitizers only, `./dev unit` in the release build.
option(NNRT_UNIT_TESTS "Build the tests that need no Vulkan driver" ON)

# nnrt_unit_tests_of(PROGRAM PREFIX [TOGETHER] [SOME_LONG] [SHARDS n] [properties]): registers each test of a GoogleTest program
# with CTest, labelled unit. TOGETHER: one CTest test in sanitizer builds, where starting hundreds of processes takes longer than the
# tests. SOME_LONG: suites instantiated as Long run only in `./dev test all`. Cross builds run PROGRAM in n processes, because
# emulators start slowly, and add the label emulated.
function(nnrt_unit_tests_of program prefix)
  cmake_parse_arguments(PARSE_ARGV 2 test "TOGETHER;SOME_LONG" "SHARDS;ENVIRONMENT;ENVIRONMENT_MODIFICATION" "")
  if(NNRT_SANITIZE AND test_TOGETHER)
    string(REGEX REPLACE "_tests$" "" name ${program})
    add_test(NAME ${prefix}${name} COMMAND ${program})
    set_tests_properties(${prefix}${name} PROPERTIES LABELS unit TIMEOUT 1800 ENVIRONMENT "${test_ENVIRONMENT}")
    return()
  endif()
  if(NOT CMAKE_CROSSCOMPILING)
    cmake_parse_arguments(PARSE_ARGV 2 properties "TOGETHER;SOME_LONG" "SHARDS" "")
    set(options DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES ${properties_UNPARSED_ARGUMENTS} LABELS)
    gtest_discover_tests(${program} TEST_PREFIX ${prefix} TEST_FILTER -Long/* ${options} unit)
    if(test_SOME_LONG)
      gtest_discover_tests(${program} TEST_PREFIX ${prefix} TEST_FILTER Long/* TEST_LIST ${program}_long ${options} unit_long)
    endif()
    return()
  endif()
  if(NOT test_SHARDS)
    set(test_SHARDS 1)
  endif()
  nnrt_started_file(started ${program})
  nnrt_emulated_tests(emulated_tests ${program})
  nnrt_started_file(device_host nnrt-device-host)
  math(EXPR last "${test_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(name ${prefix}${program})
    if(test_SHARDS GREATER 1)
      string(APPEND name .${shard})
    endif()
    add_test(NAME ${name} COMMAND ${started} ${emulated_tests})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 1800
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${test_SHARDS};GTEST_SHARD_INDEX=${shard};NNRT_TEST_DEVICE_HOST=${device_host};${test_ENVIRONMENT}"
      ENVIRONMENT_MODIFICATION "${test_ENVIRONMENT_MODIFICATION}")
    nnrt_emulated(${name} ${program})
  endforeach()
endfunction()
