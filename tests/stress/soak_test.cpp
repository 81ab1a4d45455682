// Creates and destroys everything for each inference, like clients that run for days (api.md 7 and 13), on
// the first device. NNRT_TEST_SOAK_ROUNDS sets the number of rounds, NNRT_TEST_SOAK_MICROSECONDS the maximum
// time per round.
#include "tests/support/process_resources.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_settings.h"
#include "tests/unit/api/api_test_handles.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>

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
  // ThreadSanitizer remembers what it has seen.
  EXPECT_LT(after.resident, before.resident + (nnrt::test::kThreadSanitized ? 32 << 20 : 4 << 20));
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

namespace {

struct Operator {
  OH_NN_OperationType type;
  double (*function)(double);
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

constexpr Operator kOperators[] = {
    {OH_NN_OPS_SIGMOID, sigmoid},
    {OH_NN_OPS_TANH, [](double x) { return std::tanh(x); }},
    {OH_NN_OPS_ABS, [](double x) { return std::fabs(x); }},
    {OH_NN_OPS_ERF, [](double x) { return std::erf(x); }},
    {OH_NN_OPS_SQUARE, [](double x) { return x * x; }},
    {OH_NN_OPS_COS, [](double x) { return std::cos(x); }},
    {OH_NN_OPS_SIN, [](double x) { return std::sin(x); }},
    {OH_NN_OPS_NEG, [](double x) { return -x; }},
    {OH_NN_OPS_SWISH, [](double x) { return x * sigmoid(x); }},
    {OH_NN_OPS_EXP, [](double x) { return std::exp(x); }},
    {OH_NN_OPS_RECIPROCAL, [](double x) { return 1 / x; }},
    {OH_NN_OPS_FLOOR, [](double x) { return std::floor(x); }},
    {OH_NN_OPS_CEIL, [](double x) { return std::ceil(x); }},
};
constexpr size_t kChain = 3;

// Runs model number `n`, a chain of three operators; on a GPU each model needs its own pipelines.
void run_model(size_t n) {
  Model model(OH_NNModel_Construct());
  for (uint32_t i = 0; i <= kChain; ++i)
    ASSERT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of({4}).get()), OH_NN_SUCCESS);
  double want = 0.75;
  for (uint32_t i = 0; i < kChain; ++i, n /= std::size(kOperators)) {
    const Operator& chained = kOperators[n % std::size(kOperators)];
    add_operation(model, chained.type, {i}, {i + 1});
    want = chained.function(want);
  }
  finish(model, {0}, {kChain});
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({4}, {0.75, 0.75, 0.75, 0.75}), y = tensor_of({4});
  ASSERT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
  if (!std::isfinite(want)) return;
  EXPECT_NEAR(values_of(y, 4)[3], want, 1e-4 * std::max(1.0, std::fabs(want))) << n;
}

// Releases free pages first: compilers leave many between the blocks of cached pipelines.
Held held_after_trim() {
  malloc_trim(0);
  return held();
}

}  // namespace

// Compiled pipelines are cached, a bounded number of them. NNRT_TEST_DRAWS scales how many models run with
// the cache full.
TEST(Soak, OfManyDifferentModels) {
  constexpr uint32_t kFillsCaches = 256;
  uint32_t next = 0;
  while (next < kFillsCaches) run_model(next++);
  const Held before = held_after_trim();
  const uint32_t end = kFillsCaches + nnrt::test::draws(256);
  while (next < end) run_model(next++);
  const Held after = held_after_trim();
  expect_no_more(after, before, 16 << 20);  // drivers empty their caches now and then
  EXPECT_LT(after.resident, before.resident + (16 << 20));
  std::printf("%u models; resident %+td bytes\n", end - kFillsCaches,
              static_cast<std::ptrdiff_t>(after.resident - before.resident));
}

TEST(Soak, FromTensorsToResult) {
  const Executor executor = executor_of({-1});
  expect_steady([&] {
    const Tensor a = tensor_of({3}, {1, -2, 3}), y = tensor_of({3});
    ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  });
}

TEST(Soak, WithUnreleasedMemory) {
  const Compilation compilation = built_compilation({3});
  const std::vector<int32_t> shape{3};
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  expect_steady([&] {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    OH_NN_Memory* input = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 12);
    OH_NN_Memory* output = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, 12);
    const float values[3] = {};
    ASSERT_EQ(OH_NNExecutor_SetInputWithMemory(executor.get(), 0, &tensor, input), OH_NN_SUCCESS);
    ASSERT_EQ(OH_NNExecutor_SetInput(executor.get(), 1, &tensor, values, sizeof values), OH_NN_SUCCESS);
    ASSERT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, output), OH_NN_SUCCESS);
    ASSERT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_SUCCESS);
  });
}

TEST(Soak, OfFailures) {
  const Compilation compilation = built_compilation({3});
  const Tensor a = tensor_of({3});
  expect_steady([&] {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    EXPECT_EQ(run(executor.get(), {a.get()}, {a.get()}), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNTensor_Create(0, desc_of({-1}).get()), nullptr);
    const Compilation unfinished(OH_NNCompilation_Construct(open_model({3}).get()));
    EXPECT_EQ(OH_NNCompilation_Build(unfinished.get()), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNExecutor_Construct(unfinished.get()), nullptr);
  });
}
