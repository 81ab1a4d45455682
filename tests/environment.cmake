# All tests run in this environment, unless a test sets something else.
if(NOT DEFINED ENV{NNRT_TEST_CHECK_GRAPHS})
  set(ENV{NNRT_TEST_CHECK_GRAPHS} abort)
endif()
# Shorter stacks of allocations save a twentieth of the time.
if(NOT DEFINED ENV{ASAN_OPTIONS})
  set(ENV{ASAN_OPTIONS} malloc_context_size=10)
endif()
