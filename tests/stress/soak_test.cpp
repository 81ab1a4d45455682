// Creates and destroys everything for each inference, like clients that run for days (api.md 7 and 13), on
// the first device. NNRT_TEST_SOAK_ROUNDS sets the number of rounds, NNRT_TEST_SOAK_MICROSECONDS the maximum
// time per round.
#include "tests/support/process_resources.h"
#include "tests/support/test_settings.h"
#include "tests/unit/api/api_test_handles.h"

#include <chrono>
#include <cstdlib>
#include <functional>

using namespace api_tests;

namespace {

void expect_steady(const std::function<void()>& round, size_t heap_bytes = 64 << 10) {
  const int rounds = nnrt::test::number_from("NNRT_TEST_SOAK_ROUNDS", 2000);
  const int max_microseconds = nnrt::test::number_from("NNRT_TEST_SOAK_MICROSECONDS", 0);
  for (int i = 0; i < rounds / 10; ++i) round();
  const Held before = held();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) round();
  const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
  const Held after = held();
  expect_no_more(after, before, heap_bytes);
  EXPECT_LT(after.resident, before.resident + (4 << 20));
  EXPECT_TRUE(max_microseconds == 0 || taken.count() / rounds < max_microseconds);
  std::printf("%d rounds of %.1f us; heap %+td bytes, resident %+td bytes\n", rounds, taken.count() / rounds,
              static_cast<std::ptrdiff_t>(after.heap - before.heap),
              static_cast<std::ptrdiff_t>(after.resident - before.resident));
}

}  // namespace

TEST(Soak, FromModelToResult) {
  const Tensor a = tensor_of({3}, {1, -2, 3}), y = tensor_of({3});
  expect_steady([&] {
    ASSERT_EQ(run(executor_of({3}).get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  });
  EXPECT_EQ(values_of(y, 3), (std::vector<float>{2, 0, 6}));
}

TEST(Soak, FromExecutorToResult) {
  const Compilation compilation = built_compilation({3});
  const Tensor a = tensor_of({3}, {1, -2, 3}), y = tensor_of({3});
  expect_steady([&] {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  });
  EXPECT_EQ(values_of(y, 3), (std::vector<float>{2, 0, 6}));
}

// Far more shapes than any device caches. The size of the caches depends on the last shapes.
TEST(Soak, OfManyShapes) {
  const Executor executor = executor_of({-1, -1});
  const Tensor y(OH_NNTensor_CreateWithSize(0, desc_of({-1, -1}).get(), 40000));
  int32_t round = 0;
  expect_steady(
      [&] {
        const Tensor a = tensor_of({1 + round % 97, 1 + round % 89});
        ++round;
        ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
      },
      512 << 10);
}

TEST(Soak, FromTensorsToResult) {
  const Executor executor = executor_of({-1});
  expect_steady([&] {
    const Tensor a = tensor_of({3}, {1, -2, 3}), y = tensor_of({3});
    ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  });
}
