#include "tests/unit/api/execution/async_callbacks.h"

#include <limits>

using namespace api_tests;

TEST(Executor, NeedsABuiltCompilation) {
  const Compilation compilation(OH_NNCompilation_Construct(finished_model({2}).get()));
  EXPECT_EQ(OH_NNExecutor_Construct(compilation.get()), nullptr);
}

TEST(Executor, DestroyNullsTheHandle) {
  OH_NNExecutor* executor = executor_of({2}).release();
  OH_NNExecutor_Destroy(&executor);
  EXPECT_EQ(executor, nullptr);
}

TEST(Executor, CountsInputsAndOutputs) {
  const Executor executor = executor_of({2});
  size_t inputs = 0, outputs = 0;
  EXPECT_EQ(OH_NNExecutor_GetInputCount(executor.get(), &inputs), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_GetOutputCount(executor.get(), &outputs), OH_NN_SUCCESS);
  EXPECT_EQ(inputs, 2u);
  EXPECT_EQ(outputs, 1u);
}

TEST(Executor, DescribesInputsAndOutputsAsInTheModel) {
  const Executor executor = executor_of({2, -1});
  const Desc b(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 1));
  const Desc y(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 0));
  EXPECT_EQ(name_of(b.get()), "b");
  EXPECT_EQ(name_of(y.get()), "y");
  EXPECT_EQ(shape_of(b.get()), (std::vector<int32_t>{2, -1}));
  EXPECT_EQ(shape_of(y.get()), (std::vector<int32_t>{2, -1}));
  EXPECT_EQ(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 2), nullptr);
  EXPECT_EQ(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 1), nullptr);
}

TEST(Executor, NamesUnnamedTensorsByIndex) {
  const Model model = with_tensors(2, {});
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0}, {1});
  const Executor executor = executor_for(model);
  const Desc y(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 0));
  EXPECT_EQ(name_of(y.get()), "Tensor: 1");
}

TEST(Executor, RangesFollowTheModel) {
  const Executor executor = executor_of({2, -1});
  size_t *min = nullptr, *max = nullptr, length = 0;
  ASSERT_EQ(OH_NNExecutor_GetInputDimRange(executor.get(), 0, &min, &max, &length), OH_NN_SUCCESS);
  ASSERT_EQ(length, 2u);
  EXPECT_EQ(min[0], 2u);
  EXPECT_EQ(max[0], 2u);
  EXPECT_EQ(min[1], 1u);
  EXPECT_GE(max[1], 1u << 20);
  EXPECT_EQ(OH_NNExecutor_GetInputDimRange(executor.get(), 2, &min, &max, &length), OH_NN_INVALID_PARAMETER);
}

TEST(Executor, ReturnsDeclaredOutputShapeBeforeRun) {
  const Executor executor = executor_of({2, -1});
  EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{2, -1}));
  int32_t taken = 0;
  int32_t *full = &taken, *shape = nullptr;
  uint32_t length = 0;
  EXPECT_EQ(OH_NNExecutor_GetOutputShape(executor.get(), 0, &full, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNExecutor_GetOutputShape(executor.get(), 1, &shape, &length), OH_NN_INVALID_PARAMETER);
}

TEST(RunSync, SeesWritesBetweenRuns) {
  const Executor executor = executor_of({3});
  const Tensor a = tensor_of({3}, {1, 2, 3}), y = tensor_of({3});
  for (const float value : {1.0f, 2.0f, 5.0f}) {
    *static_cast<float*>(OH_NNTensor_GetDataBuffer(a.get())) = value;
    ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
    EXPECT_EQ(values_of(y, 3), (std::vector<float>{2 * value, 4, 6}));
  }
}

TEST(RunSync, WorksWithoutModelAndCompilation) {
  OH_NNModel* model = finished_model({3}).release();
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  OH_NNModel_Destroy(&model);
  ASSERT_EQ(OH_NNCompilation_Build(compilation), OH_NN_SUCCESS);
  const Executor first(OH_NNExecutor_Construct(compilation)), second(OH_NNExecutor_Construct(compilation));
  OH_NNCompilation_Destroy(&compilation);
  const Tensor a = tensor_of({3}, {1, 2, 3}), y = tensor_of({3}), z = tensor_of({3});
  EXPECT_EQ(run(first.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(run(second.get(), {y.get(), a.get()}, {z.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(z, 3), (std::vector<float>{3, 6, 9}));
}

TEST(RunSync, RejectsMismatchedTensors) {
  const Executor executor = executor_of({2, -1});
  const Tensor good = tensor_of({2, 3}), y = tensor_of({2, 3});
  const Tensor rank = tensor_of({2, 3, 1}), fixed = tensor_of({3, 3});
  const Tensor type(OH_NNTensor_Create(0, desc_of({2, 3}, OH_NN_INT32).get()));
  const Tensor dynamic(OH_NNTensor_CreateWithSize(0, desc_of({2, -1}).get(), 24));
  for (const Tensor* bad : {&rank, &fixed, &type, &dynamic}) {
    EXPECT_EQ(run(executor.get(), {good.get(), bad->get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  }
  EXPECT_EQ(run(executor.get(), {good.get(), nullptr}, {y.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {good.get(), good.get()}, {nullptr}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {good.get(), good.get()}, {type.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {good.get(), good.get()}, {y.get()}), OH_NN_SUCCESS);
}

TEST(RunSync, RejectsShapesLargerThanMemory) {
  const Executor executor = executor_of({-1, -1, -1});
  const Tensor a = tensor_of({1, 2, 3}), y = tensor_of({1, 2, 3});
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  for (const std::vector<int32_t>& shape :
       {std::vector<int32_t>{1, 2, 4}, {1, 2, -1}, {kHuge, kHuge, 2}, {kHuge, kHuge, kHuge}}) {
    OH_NNTensorDesc_SetShape(OH_NNTensor_GetTensorDesc(a.get()), shape.data(), shape.size());
    EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  }
}

TEST(RunSync, AcceptsEmptyDynamicDimension) {
  const Executor executor = executor_of({-1, 2});
  const Tensor a = tensor_of({1, 2}), y = tensor_of({1, 2});
  const int32_t nothing[] = {0, 2};
  OH_NNTensorDesc_SetShape(OH_NNTensor_GetTensorDesc(a.get()), nothing, 2);
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  int32_t* shape = nullptr;
  uint32_t rank = 0;
  ASSERT_EQ(OH_NNExecutor_GetOutputShape(executor.get(), 0, &shape, &rank), OH_NN_SUCCESS);
  EXPECT_EQ(std::vector<int32_t>(shape, shape + rank), (std::vector<int32_t>{0, 2}));
  const Executor fixed = executor_of({2, 2});
  EXPECT_EQ(run(fixed.get(), {a.get(), a.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
}

// Outputs identical to an input: shared_state_api_test.cpp.
TEST(RunSync, RejectsOutputsOverlappingInputs) {
  const Executor executor = executor_of({4});
  const Tensor file = tensor_of({8}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto part = [&](size_t offset) {
    return Tensor(OH_NNTensor_CreateWithFd(0, desc_of({4}).get(), fd_of(file), 32, offset));
  };
  const Tensor a = part(0), overlapping = part(4), behind = part(16);
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {overlapping.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {a.get(), behind.get()}, {overlapping.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(values_of(file, 8), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(RunSync, OneFileHoldsAllTensors) {
  const Executor executor = executor_of({4});
  const Tensor file = tensor_of({12}, {1, 2, 3, 4, 10, 20, 30, 40});
  std::vector<Tensor> parts;
  for (const size_t offset : {0, 16, 32})
    parts.emplace_back(OH_NNTensor_CreateWithFd(0, desc_of({4}).get(), fd_of(file), 48, offset));
  EXPECT_EQ(run(executor.get(), {parts[0].get(), parts[1].get()}, {parts[2].get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(file, 12), (std::vector<float>{1, 2, 3, 4, 10, 20, 30, 40, 11, 22, 33, 44}));
}

TEST(RunAsync, ChecksNullsAndCountsThenStateThenTensors) {
  const Executor executor = executor_of({2});
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  int user_data = 0;
  EXPECT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run_async(executor.get(), {a.get()}, {y.get()}, &user_data), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run_async(executor.get(), {a.get(), nullptr}, {y.get()}, &user_data), OH_NN_OPERATION_FORBIDDEN);
  ASSERT_EQ(OH_NNExecutor_SetOnRunDone(executor.get(), note_done), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOnServiceDied(executor.get(), note_death), OH_NN_SUCCESS);
  EXPECT_EQ(run_async(executor.get(), {a.get()}, {y.get()}, &user_data), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run_async(executor.get(), {a.get(), nullptr}, {y.get()}, &user_data), OH_NN_INVALID_PARAMETER);
}
