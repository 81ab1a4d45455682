# nnrt_only_in_all(test...): runs these tests, if they exist, only in `./dev test all`. Every run still covers each variant on one driver.
function(nnrt_only_in_all)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS long)
    endif()
  endforeach()
endfunction()

# nnrt_test_on_drivers(NAME name LABEL label [COST seconds] [ENVIRONMENT variable=value] COMMAND command...): the test
# name.<driver> for each installed software driver. It sees no other driver, which is the first device, and the
# validation layer aborts it at the first error. In a cross build the driver is the target's lavapipe, if it is unpacked. Costs are rough; CTest
# starts the most expensive tests first.
find_file(NNRT_SWIFTSHADER_ICD vk_swiftshader_icd.json
  PATHS /usr/lib/chromium /usr/share/vulkan/icd.d NO_DEFAULT_PATH DOC "SwiftShader's driver manifest, for tests")
find_file(NNRT_LAVAPIPE_ICD NAMES lvp_icd.${CMAKE_SYSTEM_PROCESSOR}.json lvp_icd.json
  PATHS /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d NO_DEFAULT_PATH DOC "lavapipe's driver manifest, for tests")
set(NNRT_TEST_VALIDATION abort CACHE STRING "NNRT_TEST_VULKAN_VALIDATION in tests on drivers: off, on or abort")

function(nnrt_test_on_drivers)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;LABEL;COST;ENVIRONMENT" "COMMAND")
  foreach(driver IN ITEMS swiftshader lavapipe)
    string(TOUPPER "NNRT_${driver}_ICD" manifest)
    if(CMAKE_CROSSCOMPILING AND driver STREQUAL swiftshader)
      continue()  # the build machine's
    endif()
    if(NOT ${manifest})
      message(STATUS "${test_NAME} is not tested on ${driver}: ${manifest} is not set")
      continue()
    endif()
    add_test(NAME ${test_NAME}.${driver} COMMAND ${test_COMMAND})
    set_tests_properties(${test_NAME}.${driver} PROPERTIES
      LABELS "${test_LABEL}" COST "${test_COST}"
      ENVIRONMENT "VK_DRIVER_FILES=${${manifest}};VK_ICD_FILENAMES=${${manifest}};NNRT_DEVICES=vulkan,cpu,auto;NNRT_TEST_VULKAN_VALIDATION=${NNRT_TEST_VALIDATION};${test_ENVIRONMENT}")
  endforeach()
endfunction()
