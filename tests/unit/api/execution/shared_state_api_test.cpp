// Runs that overwrite an input with an output (OH_NNRt_MayShareMemory), and tensors kept on the device.
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

using namespace api_tests;

namespace {

// y = x + x, or y = softmax(x), for x of one dimension.
Executor executor_of(OH_NN_OperationType type) {
  const Model model(OH_NNModel_Construct());
  for (int i = 0; i < 2; ++i) OH_NNModel_AddTensorToModel(model.get(), desc_of({4}).get());
  const Indices none{}, x{0}, twice{0, 0}, y{1};
  const Indices& inputs = type == OH_NN_OPS_ADD ? twice : x;
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), type, &none, &inputs, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &x, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return Executor(OH_NNExecutor_Construct(compilation.get()));
}

bool may_share(const Executor& executor) {
  bool may = false;
  EXPECT_EQ(OH_NNRt_MayShareMemory(executor.get(), 0, 0, &may), OH_NN_SUCCESS);
  return may;
}

}  // namespace

TEST(SharedStateApi, OneTensorIsInputAndOutput) {
  const Executor executor = executor_of(OH_NN_OPS_ADD);
  ASSERT_TRUE(may_share(executor));
  const Tensor state = tensor_of({4}, {1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(run(executor.get(), {state.get()}, {state.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(state, 4), (std::vector<float>{8, 16, 24, 32}));
}

TEST(SharedStateApi, RejectsInputReadLater) {
  const Executor executor = executor_of(OH_NN_OPS_SOFTMAX);
  ASSERT_FALSE(may_share(executor));
  const Tensor state = tensor_of({4}, {1, 2, 3, 4});
  EXPECT_EQ(run(executor.get(), {state.get()}, {state.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(values_of(state, 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST(SharedStateApi, RejectsInvalidIndices) {
  const Executor executor = executor_of(OH_NN_OPS_ADD);
  bool may = false;
  EXPECT_EQ(OH_NNRt_MayShareMemory(nullptr, 0, 0, &may), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_MayShareMemory(executor.get(), 0, 0, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_MayShareMemory(executor.get(), 1, 0, &may), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_MayShareMemory(executor.get(), 0, 1, &may), OH_NN_INVALID_PARAMETER);
}

TEST(SharedStateApi, TheCpuKeepsTensorsInTheirMemory) {
  const Executor executor = executor_of(OH_NN_OPS_ADD);
  const Tensor state = tensor_of({4}, {1, 2, 3, 4});
  ASSERT_EQ(OH_NNRt_KeepOnDevice(state.get()), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNRt_KeepOnDevice(state.get()), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor.get(), {state.get()}, {state.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(state, 4), (std::vector<float>{2, 4, 6, 8}));
  for (const OH_NNRt_SyncDirection direction : {OH_NNRT_SYNC_TO_HOST, OH_NNRT_SYNC_FROM_HOST}) {
    ASSERT_EQ(OH_NNRt_SyncTensor(state.get(), direction), OH_NN_SUCCESS);
    EXPECT_EQ(values_of(state, 4), (std::vector<float>{2, 4, 6, 8}));
  }
}

TEST(SharedStateApi, RefusesInvalidTensors) {
  EXPECT_EQ(OH_NNRt_KeepOnDevice(nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_SyncTensor(nullptr, OH_NNRT_SYNC_TO_HOST), OH_NN_INVALID_PARAMETER);
  const Tensor tensor = tensor_of({4}, {1, 2, 3, 4});
  EXPECT_EQ(OH_NNRt_SyncTensor(tensor.get(), any<OH_NNRt_SyncDirection>(2)), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_SyncTensor(tensor.get(), OH_NNRT_SYNC_TO_HOST), OH_NN_SUCCESS);
}
