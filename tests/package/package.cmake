add_test(NAME package COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_package.sh ${PROJECT_BINARY_DIR})
set_tests_properties(package PROPERTIES LABELS unit ENVIRONMENT NNRT_DEVICES=cpu)
# The commands of the pages, on the faster of the drivers.
if(TARGET nnrt_python AND NNRT_EXAMPLES AND NNRT_BENCH)
  set(page_environment NNRT_DEVICES=cpu)
  foreach(driver IN ITEMS ${NNRT_SWIFTSHADER_ICD} ${NNRT_LAVAPIPE_ICD})
    if(NNRT_VULKAN AND EXISTS ${driver})
      set(page_environment "VK_DRIVER_FILES=${driver};VK_ICD_FILENAMES=${driver}")
    endif()
  endforeach()
  add_test(NAME package.page_commands COMMAND ${Python_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/page_commands_test.py ${PROJECT_BINARY_DIR})
  set_tests_properties(package.page_commands PROPERTIES LABELS unit TIMEOUT 300 ENVIRONMENT "${page_environment}"
    SKIP_REGULAR_EXPRESSION "Skipped:")
endif()
