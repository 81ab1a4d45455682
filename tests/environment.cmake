# What all tests run in. A test may be run with something else.
if(NOT DEFINED ENV{NNRT_TEST_CHECK_GRAPHS})
  set(ENV{NNRT_TEST_CHECK_GRAPHS} abort)
endif()
