add_test(NAME package COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_package.sh ${PROJECT_BINARY_DIR})
set_tests_properties(package PROPERTIES LABELS unit ENVIRONMENT NNRT_DEVICES=cpu)
