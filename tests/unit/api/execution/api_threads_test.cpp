// Different handles in different threads, and concurrent calls on one executor (api.md 7). For the thread
// sanitizer.
#include "tests/unit/api/api_test_handles.h"

#include <atomic>
#include <functional>
#include <thread>

using namespace api_tests;

namespace {

constexpr int kThreads = 8, kRounds = 30;

// Calls work(t) in a thread for each t; returns whether all succeeded.
void expect_in_threads(const std::function<bool(int)>& work) {
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) failures += work(t) ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

// Runs a + a for a tensor of t's, large enough to use the thread pool.
bool run_doubles(OH_NNExecutor* executor, int t) {
  constexpr int32_t kLength = 40000;
  const auto value = static_cast<float>(t);
  const Tensor a = tensor_of({kLength}, std::vector<float>(kLength, value)), y = tensor_of({kLength});
  return run(executor, {a.get(), a.get()}, {y.get()}) == OH_NN_SUCCESS &&
         values_of(y, kLength) == std::vector<float>(kLength, 2 * value);
}

}  // namespace

TEST(Threads, ShareACompilation) {
  for (const int32_t length : {40000, -1}) {
    const Compilation compilation = built_compilation({length});
    expect_in_threads(
        [&](int t) { return run_doubles(Executor(OH_NNExecutor_Construct(compilation.get())).get(), t); });
  }
}

TEST(Threads, ShareAnExecutor) {
  const Executor executor = executor_of({-1});
  expect_in_threads([&](int t) {
    if (t % 2 == 0) return run_doubles(executor.get(), t);
    size_t inputs = 0, outputs = 0;
    OH_NN_Memory* memory = OH_NNExecutor_AllocateInputMemory(executor.get(), 0, 100);
    const Desc desc(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 0));
    OH_NNExecutor_GetInputCount(executor.get(), &inputs);
    OH_NNExecutor_GetOutputCount(executor.get(), &outputs);
    OH_NNExecutor_DestroyInputMemory(executor.get(), 0, &memory);
    return inputs == 2 && outputs == 1 && desc != nullptr && memory == nullptr;
  });
}

TEST(Threads, BuildFromOneModel) {
  const Model model = finished_model({40000});
  expect_in_threads([&](int t) {
    const Compilation compilation(OH_NNCompilation_Construct(model.get()));
    if (OH_NNCompilation_Build(compilation.get()) != OH_NN_SUCCESS) return false;
    return run_doubles(Executor(OH_NNExecutor_Construct(compilation.get())).get(), t);
  });
}

TEST(Threads, MakeAndDestroyModelsOfTheirOwn) {
  expect_in_threads([](int t) {
    const Model model = finished_model({40000});
    const bool* supported = nullptr;
    uint32_t count = 0;
    return OH_NNModel_GetAvailableOperations(model.get(), 0, &supported, &count) == OH_NN_SUCCESS &&
           count == 2 && run_doubles(executor_of({40000}).get(), t);
  });
}

TEST(Threads, ReadOneTensor) {
  const Tensor shared = tensor_of({3}, {1, 2, 3});
  const Compilation compilation = built_compilation({3});
  expect_in_threads([&](int) {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    const Tensor y = tensor_of({3});
    return run(executor.get(), {shared.get(), shared.get()}, {y.get()}) == OH_NN_SUCCESS &&
           values_of(y, 3) == std::vector<float>{2, 4, 6};
  });
}

TEST(Threads, BindInputsOfExecutorsOfTheirOwn) {
  const Compilation compilation = built_compilation({-1});
  expect_in_threads([&](int t) {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    const std::vector<int32_t> shape{t + 1};
    const OH_NN_Tensor tensor = legacy_tensor(shape);
    const std::vector<float> values(static_cast<size_t>(t) + 1, 3);
    std::vector<float> result(values.size());
    const size_t bytes = values.size() * sizeof(float);
    for (const uint32_t input : {0u, 1u}) {
      OH_NNExecutor_SetInput(executor.get(), input, &tensor, values.data(), bytes);
    }
    OH_NNExecutor_SetOutput(executor.get(), 0, result.data(), bytes);
    return OH_NNExecutor_Run(executor.get()) == OH_NN_SUCCESS &&
           result == std::vector<float>(values.size(), 6) && output_shape(executor.get()) == shape;
  });
}
