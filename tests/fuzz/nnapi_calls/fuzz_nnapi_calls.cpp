// Sequences of NNAPI calls chosen by bytes: nothing may crash or leak, and every result must be a permitted
// one.
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/nnapi_calls/call_state.h"

#include <cstdio>
#include <cstdlib>

FUZZ_TARGET(nnapi_calls)(const uint8_t* data, size_t size) {
  const char* const wrong = nnapi_calls::run_calls({data, size}, 200, nullptr);
  if (wrong == nullptr) return 0;
  std::fprintf(stderr, "%s gave a result that it must not give.\n", wrong);
  std::abort();
}
