// A process that exits during runs terminates normally.
#include "tests/unit/api/execution/async_callbacks.h"

#include <cstdlib>

using namespace api_tests;

namespace {

void ignore_done(void*, OH_NN_ReturnCode, void**, int32_t) {}

// Nothing is destroyed: the system reclaims it.
[[noreturn]] void exit_with_runs_in_flight() {
  const std::vector<int32_t> shape{1 << 20};
  const Compilation compilation = built_compilation(shape);
  std::vector<void*> retained;  // never destroyed, but not reported as leaks
  for (int i = 0; i < 3; ++i) {
    OH_NNExecutor* const executor = OH_NNExecutor_Construct(compilation.get());
    OH_NNExecutor_SetOnRunDone(executor, ignore_done);
    NN_Tensor* const a = tensor_of(shape).release();
    retained.insert(retained.end(), {executor, a});
    for (int run = 0; run < 4; ++run) {
      NN_Tensor* const y = tensor_of(shape).release();
      retained.push_back(y);
      if (run_async(executor, {a, a}, {y}, executor) != OH_NN_SUCCESS) std::_Exit(1);
    }
  }
  std::exit(0);
}

}  // namespace

TEST(Exit, WithRunsInFlightIsAnOrdinaryOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  EXPECT_EXIT(exit_with_runs_in_flight(), testing::ExitedWithCode(0), "");
}
