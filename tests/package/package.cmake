add_test(NAME package COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_package.sh ${PROJECT_BINARY_DIR})
# User journeys with only the packages in a new Debian: takes minutes, root and Debian's mirror.
add_test(NAME package.journeys COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/../journeys/clean_root.sh ${PROJECT_BINARY_DIR})
set_tests_properties(package.journeys PROPERTIES LABELS long TIMEOUT 1200 SKIP_RETURN_CODE 77)
set_tests_properties(package PROPERTIES LABELS unit ENVIRONMENT NNRT_DEVICES=cpu)
if(TARGET import)
  add_test(NAME package.import_example COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_import_example.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(package.import_example PROPERTIES LABELS unit ENVIRONMENT NNRT_DEVICES=cpu)
endif()
