# Tests that need no Vulkan driver. `./dev test` builds them with the sanitizers only, `./dev unit` in the release build.
option(NNRT_UNIT_TESTS "Build the tests that need no Vulkan driver" ON)

# nnrt_unit_tests_of(PROGRAM PREFIX [TOGETHER] [SOME_LONG] [SHARDS n] [properties]): registers each test of a GoogleTest program
# with CTest, labelled unit. TOGETHER: sanitizer builds run the program in n processes instead, because starting hundreds of
# processes takes longer than the tests. SOME_LONG: suites instantiated as Long run only in `./dev test all`. Cross builds run
# every program in n processes, because emulators start slowly, and add the label emulated.
function(nnrt_unit_tests_of program prefix)
  cmake_parse_arguments(PARSE_ARGV 2 test "TOGETHER;SOME_LONG" "SHARDS;ENVIRONMENT;ENVIRONMENT_MODIFICATION" "")
  if(NNRT_SANITIZE AND test_TOGETHER)
    nnrt_sharded_tests(${program} ${prefix} "${test_SHARDS}" "${test_ENVIRONMENT}" unit COMMAND ${program} --gtest_filter=-Long/*)
    if(test_SOME_LONG)
      nnrt_sharded_tests(${program} ${prefix}long_ 1 "${test_ENVIRONMENT}" unit_long COMMAND ${program} --gtest_filter=Long/*)
    endif()
    return()
  endif()
  if(NOT CMAKE_CROSSCOMPILING)
    cmake_parse_arguments(PARSE_ARGV 2 properties "TOGETHER;SOME_LONG" "SHARDS" "")
    nnrt_discovered_tests(${program} ${prefix} -Long/* unit "${properties_UNPARSED_ARGUMENTS}")
    if(test_SOME_LONG)
      nnrt_discovered_tests(${program} ${prefix} Long/* unit_long "${properties_UNPARSED_ARGUMENTS}")
    endif()
    return()
  endif()
  nnrt_started_file(started ${program})
  nnrt_emulated_tests(emulated_tests ${program})
  nnrt_started_file(device_host nnrt-device-host)
  nnrt_sharded_tests(${program} ${prefix} "${test_SHARDS}" "NNRT_TEST_DEVICE_HOST=${device_host};${test_ENVIRONMENT}"
    unit COMMAND ${started} ${emulated_tests})
  foreach(test IN LISTS sharded_tests)
    set_tests_properties(${test} PROPERTIES ENVIRONMENT_MODIFICATION "${test_ENVIRONMENT_MODIFICATION}")
    nnrt_emulated(${test} ${program})
  endforeach()
endfunction()

# nnrt_discovered_tests(PROGRAM PREFIX FILTER LABEL PROPERTIES): the tests that the program lists. gtest_discover_tests splits
# properties that are lists, such as ENVIRONMENT, and loses what follows them; a script that CTest includes after its own sets them.
function(nnrt_discovered_tests program prefix filter label properties)
  set(tests ${program}_${label})
  gtest_discover_tests(${program} TEST_PREFIX ${prefix} TEST_FILTER ${filter} TEST_LIST ${tests}
    DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES)
  set(quoted "")
  foreach(argument IN LISTS properties)
    string(APPEND quoted " [==[${argument}]==]")
  endforeach()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${tests}_properties.cmake)
  file(GENERATE OUTPUT ${script}
    CONTENT "if(${tests})\n  set_tests_properties(\${${tests}} PROPERTIES LABELS ${label}${quoted})\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

# nnrt_sharded_tests(PROGRAM PREFIX SHARDS ENVIRONMENT LABEL COMMAND command...): CTest tests that run a share of a GoogleTest
# program's tests each. Sets sharded_tests to their names.
function(nnrt_sharded_tests program prefix shards environment label)
  cmake_parse_arguments(PARSE_ARGV 5 test "" "" "COMMAND")
  string(REGEX REPLACE "_tests$" "" name ${prefix}${program})
  if(NOT shards)
    set(shards 1)
  endif()
  set(tests "")
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(test ${name})
    if(shards GREATER 1)
      string(APPEND test .${shard})
    endif()
    add_test(NAME ${test} COMMAND ${test_COMMAND})
    set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT 1800 COST 50  # starts before short ones
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard};${environment}")
    list(APPEND tests ${test})
  endforeach()
  set(sharded_tests ${tests} PARENT_SCOPE)
endfunction()
