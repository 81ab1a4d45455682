// Clients create and destroy executors for every inference (api.md 13), so this must not leak.
#include "tests/support/process_resources.h"
#include "tests/unit/api/api_test_handles.h"

using namespace api_tests;

namespace {

// Expects that after some warm-up rounds, further ones do not change the process's resources.
template <typename Round>
void expect_no_growth(const Round& round) {
  for (int i = 0; i < 20; ++i) round();
  const Held before = held();
  for (int i = 0; i < 200; ++i) round();
  expect_no_more(held(), before, 4096);
}

}  // namespace

TEST(Rounds, OfExecutorsLeaveNothing) {
  const Compilation compilation = built_compilation({3});
  const Tensor a = tensor_of({3}), y = tensor_of({3});
  expect_no_growth([&] {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  });
}

TEST(Rounds, OfModelsAndCompilationsLeaveNothing) {
  expect_no_growth([] { EXPECT_NE(executor_of({2, -1}), nullptr); });
}

TEST(Rounds, WithUnreleasedMemoryLeaveNothing) {
  const Compilation compilation = built_compilation({3});
  const std::vector<int32_t> shape{3};
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  expect_no_growth([&] {
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

TEST(Rounds, FailuresDoNotLeak) {
  const Compilation compilation = built_compilation({3});
  const Tensor a = tensor_of({3});
  expect_no_growth([&] {
    const Executor executor(OH_NNExecutor_Construct(compilation.get()));
    EXPECT_EQ(run(executor.get(), {a.get()}, {a.get()}), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNTensor_Create(0, desc_of({-1}).get()), nullptr);
    const Compilation unfinished(OH_NNCompilation_Construct(open_model({3}).get()));
    EXPECT_EQ(OH_NNCompilation_Build(unfinished.get()), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNExecutor_Construct(unfinished.get()), nullptr);
  });
}
