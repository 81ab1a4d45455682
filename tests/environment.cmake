# All tests run in this environment, unless a test sets something else.
if(NOT DEFINED ENV{NNRT_TEST_CHECK_GRAPHS})
  set(ENV{NNRT_TEST_CHECK_GRAPHS} abort)
endif()
