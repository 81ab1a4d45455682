// Outputs that are reallocated during a run (OH_NNRt_GrowInRuns): no run is repeated, so in-place state
// advances once.
#include "tests/unit/api/execution/async_callbacks.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <sys/mman.h>
#include <unistd.h>

using namespace api_tests;

namespace {

// state = state + state, in place; y = value, filled to the shape in `spelled`.
Executor state_and_fill() {
  const Model model(OH_NNModel_Construct());
  const auto add = [&](const std::vector<int32_t>& shape, OH_NN_DataType type) {
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape, type).get()), OH_NN_SUCCESS);
  };
  add({4}, OH_NN_FLOAT32);
  add({1}, OH_NN_INT64);
  add({1}, OH_NN_FLOAT32);
  add({4}, OH_NN_FLOAT32);
  add({-1}, OH_NN_FLOAT32);
  const float value = 1.5f;
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 2, &value, sizeof value), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_ADD, {0, 0}, {3});
  add_operation(model, OH_NN_OPS_FILL, {2, 1}, {4});
  finish(model, {0, 1}, {3, 4});
  return executor_for(model);
}

Tensor number(int64_t value) {
  Tensor tensor(OH_NNTensor_Create(0, desc_of({1}, OH_NN_INT64).get()));
  std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), &value, sizeof value);
  return tensor;
}

Tensor room_of(const std::vector<int32_t>& shape, size_t bytes) {
  return Tensor(OH_NNTensor_CreateWithSize(0, desc_of(shape).get(), bytes));
}

}  // namespace

TEST(GrowingOutput, LetsStateAdvanceOnce) {
  const Executor executor = state_and_fill();
  bool may = false;
  ASSERT_EQ(OH_NNRt_MayShareMemory(executor.get(), 0, 0, &may), OH_NN_SUCCESS);
  ASSERT_TRUE(may);
  const Tensor state = tensor_of({4}, {1, 2, 3, 4}), y = room_of({-1}, 16);
  ASSERT_EQ(OH_NNRt_GrowInRuns(y.get()), OH_NN_SUCCESS);
  std::vector<float> expected{1, 2, 3, 4};
  for (const int64_t length : {4, 5, 20000, 3, 20001}) {
    const Tensor spelled = number(length);
    ASSERT_EQ(run(executor.get(), {state.get(), spelled.get()}, {state.get(), y.get()}), OH_NN_SUCCESS);
    for (float& value : expected) value *= 2;
    EXPECT_EQ(values_of(state, 4), expected) << length;
    EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(y.get())), (std::vector<int32_t>{int32_t(length)}));
    EXPECT_EQ(values_of(y, size_t(length)), std::vector<float>(size_t(length), 1.5f));
  }
  EXPECT_EQ(size_of(y), 20001 * sizeof(float));
  const Tensor same(OH_NNTensor_CreateWithFd(0, desc_of({3}).get(), fd_of(y), 12, 0));
  EXPECT_EQ(values_of(same, 3), (std::vector<float>{1.5f, 1.5f, 1.5f}))
      << "the descriptor is the new memory's";
}

// A dynamic input determines the size before the run, synchronous and asynchronous.
TEST(GrowingOutput, IsAllocatedBeforeTheRun) {
  const Executor executor = executor_of({-1});
  RunLog log;
  NotedRun noted{log};
  const Executor background = async_executor_of(built_compilation({-1}));
  for (const bool is_async : {false, true}) {
    const Tensor y = room_of({-1}, 4);
    ASSERT_EQ(OH_NNRt_GrowInRuns(y.get()), OH_NN_SUCCESS);
    const Tensor x = tensor_of({5000}, std::vector<float>(5000, 1));
    if (is_async) {
      ASSERT_EQ(run_async(background.get(), {x.get(), x.get()}, {y.get()}, &noted), OH_NN_SUCCESS);
      ASSERT_EQ(log.wait_for(1), (std::vector<RunLog::Entry>{{0, OH_NN_SUCCESS}}));
    } else {
      ASSERT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
    }
    EXPECT_EQ(values_of(y, 5000), std::vector<float>(5000, 2));
    EXPECT_EQ(size_of(y), 20000u);
  }
}

TEST(GrowingOutput, DoesNotGrowFixedOutputs) {
  const Executor executor = state_and_fill();
  const Tensor state = tensor_of({4}, {1, 2, 3, 4}), next = tensor_of({4}), y = room_of({-1}, 16);
  const Tensor spelled = number(5);
  EXPECT_EQ(run(executor.get(), {state.get(), spelled.get()}, {next.get(), y.get()}),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(output_shape(executor.get(), 1), (std::vector<int32_t>{5}));
  EXPECT_EQ(size_of(y), 16u);
}

TEST(GrowingOutput, IsMemoryOfTheRuntime) {
  EXPECT_EQ(OH_NNRt_GrowInRuns(nullptr), OH_NN_INVALID_PARAMETER);
  const int fd = memfd_create("client", 0);
  ASSERT_EQ(ftruncate(fd, 16), 0);
  const Tensor foreign(OH_NNTensor_CreateWithFd(0, desc_of({4}).get(), fd, 16, 0));
  EXPECT_EQ(OH_NNRt_GrowInRuns(foreign.get()), OH_NN_INVALID_PARAMETER);
  close(fd);
  const Tensor kept = tensor_of({4}), growing = tensor_of({4});
  ASSERT_EQ(OH_NNRt_KeepOnDevice(kept.get()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNRt_GrowInRuns(kept.get()), OH_NN_INVALID_PARAMETER);
  ASSERT_EQ(OH_NNRt_GrowInRuns(growing.get()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNRt_KeepOnDevice(growing.get()), OH_NN_INVALID_PARAMETER);
}
