// Runs that overwrite an input with an output (OH_NNRt_MayShareMemory), and tensors kept on the device.
#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

using namespace api_tests;

namespace {

// y = x + x, or y = softmax(x), for x of one dimension.
Executor executor_of(OH_NN_OperationType type) {
  const Model model = with_tensors(2, {4});
  const Indices x{0}, twice{0, 0};
  const Indices& inputs = type == OH_NN_OPS_ADD ? twice : x;
  add_operation(model, type, inputs, {1});
  finish(model, {0}, {1});
  return executor_for(model);
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
