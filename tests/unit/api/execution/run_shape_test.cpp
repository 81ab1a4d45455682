// Shapes end to end (api.md 5): scalars, unknown dimensions, and valid shapes for a run.
#include "tests/unit/api/api_test_handles.h"

using namespace api_tests;

namespace {

// y = relu(x), both declared with this shape.
Executor relu_of(const std::vector<int32_t>& shape) {
  const Model model = with_tensors(2, shape);
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0}, {1});
  return executor_for(model);
}

// y = value, filled to the shape given by the only input at run time; y is declared with `declared`.
Executor fill_of(const std::vector<int32_t>& declared) {
  const Model model(OH_NNModel_Construct());
  OH_NNModel_AddTensorToModel(model.get(), desc_of({1}).get());
  OH_NNModel_AddTensorToModel(model.get(), desc_of({2}, OH_NN_INT64).get());
  OH_NNModel_AddTensorToModel(model.get(), desc_of(declared).get());
  const float value = 1.5f;
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, &value, sizeof value), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_FILL, {0, 1}, {2});
  finish(model, {1}, {2});
  return executor_for(model);
}

Tensor int64_tensor(const std::vector<int64_t>& values) {
  const auto length = static_cast<int32_t>(values.size());
  Tensor tensor(OH_NNTensor_Create(0, desc_of({length}, OH_NN_INT64).get()));
  std::memcpy(OH_NNTensor_GetDataBuffer(tensor.get()), values.data(), values.size() * sizeof(int64_t));
  return tensor;
}

}  // namespace

TEST(Scalar, RunsThroughApi9) {
  const OH_NN_Tensor scalar = legacy_tensor({});
  const Model model(OH_NNModel_Construct());
  for (int i = 0; i < 2; ++i) ASSERT_EQ(OH_NNModel_AddTensor(model.get(), &scalar), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0}, {1});
  const Executor executor = executor_for(model);

  const float given = 2.5f;
  float result = 0;
  ASSERT_EQ(OH_NNExecutor_SetInput(executor.get(), 0, &scalar, &given, sizeof given), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_SetOutput(executor.get(), 0, &result, sizeof result), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_SUCCESS);
  EXPECT_EQ(result, 2.5f);
  EXPECT_TRUE(output_shape(executor.get()).empty());

  OH_NN_Memory* memory = OH_NNExecutor_AllocateOutputMemory(executor.get(), 0, sizeof result);
  ASSERT_EQ(OH_NNExecutor_SetOutputWithMemory(executor.get(), 0, memory), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_SUCCESS);
  EXPECT_EQ(*static_cast<float*>(memory->data), 2.5f);
}

TEST(Scalar, AndShapeOneServeEachOther) {
  for (const std::vector<int32_t>& declared : {std::vector<int32_t>{}, {1}, {-1}}) {
    const Executor executor = relu_of(declared);
    const Desc desc(OH_NNExecutor_CreateInputTensorDesc(executor.get(), 0));
    EXPECT_EQ(shape_of(desc.get()), declared);
    for (const std::vector<int32_t>& given : {std::vector<int32_t>{}, {1}}) {
      const Tensor x = tensor_of(given, {3.5f}), y = tensor_of(given);
      EXPECT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
      EXPECT_EQ(values_of(y, 1), std::vector<float>{3.5f});
      EXPECT_EQ(output_shape(executor.get()).size(), declared.size()) << "as declared";
    }
  }
}

TEST(Scalar, IsNotAnUnknownDimension) {
  const Executor executor = relu_of({});
  const Tensor x(OH_NNTensor_CreateWithSize(0, desc_of({-1}).get(), 4)), y = tensor_of({});
  EXPECT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
}

TEST(OutputTensor, HasTheModelsRankAndFixedDimensions) {
  const Executor executor = executor_of({2, -1});
  const Tensor a = tensor_of({2, 3});
  const auto answer = [&](const std::vector<int32_t>& shape) {
    const Tensor y(OH_NNTensor_CreateWithSize(0, desc_of(shape).get(), 100));
    return run(executor.get(), {a.get(), a.get()}, {y.get()});
  };
  EXPECT_EQ(answer({2, 3}), OH_NN_SUCCESS);
  EXPECT_EQ(answer({2, -1}), OH_NN_SUCCESS);
  EXPECT_EQ(answer({-1, -1}), OH_NN_SUCCESS);
  EXPECT_EQ(answer({2, 7}), OH_NN_SUCCESS) << "left by another run";
  EXPECT_EQ(answer({6}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(answer({3, 2}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(answer({2, 3, 1}), OH_NN_INVALID_PARAMETER);
}

TEST(OutputTensor, KeepsItsShape) {
  const Executor executor = executor_of({2, -1});
  const Tensor a = tensor_of({2, 3}), y = tensor_of({2, 3});
  int32_t *before = nullptr, *after = nullptr;
  size_t length = 0;
  const NN_TensorDesc* desc = OH_NNTensor_GetTensorDesc(y.get());
  ASSERT_EQ(OH_NNTensorDesc_GetShape(desc, &before, &length), OH_NN_SUCCESS);
  ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNTensorDesc_GetShape(desc, &after, &length), OH_NN_SUCCESS);
  EXPECT_EQ(before, after);
}

TEST(OutputShape, IsKeptByRefusedRun) {
  const Executor executor = executor_of({2, -1});
  const Tensor a = tensor_of({2, 3}), b = tensor_of({2, 5}), y = tensor_of({2, 3});
  ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor.get(), {a.get(), b.get()}, {y.get()}), OH_NN_INVALID_PARAMETER)
      << "do not broadcast";
  EXPECT_EQ(run(executor.get(), {b.get(), b.get()}, {b.get()}), OH_NN_INVALID_PARAMETER) << "overlap";
  EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{2, 3}));
}

TEST(OutputShape, IsReportedForTooSmallOutput) {
  const Executor executor = fill_of({-1, -1});
  const Tensor y(OH_NNTensor_CreateWithSize(0, desc_of({-1, -1}).get(), 60));
  ASSERT_EQ(run(executor.get(), {int64_tensor({3, 5}).get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(y.get())), (std::vector<int32_t>{3, 5}));
  EXPECT_EQ(run(executor.get(), {int64_tensor({4, 5}).get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{4, 5}));
  EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(y.get())), (std::vector<int32_t>{3, 5}));
}

TEST(OutputShape, RejectsDimensionsBeyondInt32) {
  const Executor executor = fill_of({-1, -1});
  const Tensor y(OH_NNTensor_CreateWithSize(0, desc_of({-1, -1}).get(), 60));
  ASSERT_EQ(run(executor.get(), {int64_tensor({3, 5}).get()}, {y.get()}), OH_NN_SUCCESS);
  for (const int64_t huge : {int64_t{1} << 31, int64_t{1} << 32, (int64_t{1} << 32) + 1}) {
    EXPECT_EQ(run(executor.get(), {int64_tensor({1, huge}).get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{3, 5}));
  }
}

TEST(Run, ReportsOutOfMemory) {
  // x [-1, 1] + y [1, -1] has 2^46 elements, of which only sums are needed.
  const Model model(OH_NNModel_Construct());
  for (const auto& shape : {std::vector<int32_t>{-1, 1}, {1, -1}, {-1, -1}, {-1, -1}, {1}, {-1, 1}}) {
    const auto type = shape.size() == 1 ? OH_NN_INT64 : OH_NN_FLOAT32;
    OH_NNModel_AddTensorToModel(model.get(), desc_of(shape, type).get());
  }
  const int64_t axis = 1;
  const bool keep = true;
  ASSERT_EQ(OH_NNModel_SetTensorData(model.get(), 4, &axis, sizeof axis), OH_NN_SUCCESS);
  OH_NNModel_AddTensorToModel(model.get(), desc_of({}, OH_NN_BOOL).get());
  ASSERT_EQ(OH_NNModel_SetTensorType(model.get(), 6, OH_NN_REDUCE_SUM_KEEP_DIMS), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNModel_SetTensorData(model.get(), 6, &keep, sizeof keep), OH_NN_SUCCESS);
  const Indices relu_axis{3, 4}, keep_dims{6}, y{5};
  add_operation(model, OH_NN_OPS_ADD, {0, 1}, {2});
  add_operation(model, OH_NN_OPS_RELU, {2}, {3});
  ASSERT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_REDUCE_SUM, &keep_dims, &relu_axis, &y),
            OH_NN_SUCCESS);
  finish(model, {0, 1}, {5});
  const Executor executor = executor_for(model);

  constexpr int32_t kMany = 1 << 23;
  const Tensor a = tensor_of({kMany, 1}), b = tensor_of({1, kMany}), result = tensor_of({kMany, 1});
  EXPECT_EQ(run(executor.get(), {a.get(), b.get()}, {result.get()}), OH_NN_MEMORY_ERROR);
  const Tensor small_a = tensor_of({1, 1}, {3}), small_b = tensor_of({1, 2}, {1, 2}),
               small = tensor_of({1, 1});
  EXPECT_EQ(run(executor.get(), {small_a.get(), small_b.get()}, {small.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(small, 1), std::vector<float>{9});
}
