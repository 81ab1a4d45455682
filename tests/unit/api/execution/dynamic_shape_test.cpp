// Dimensions only known at run time (api.md 5), on the first device.
#include "tests/unit/api/api_test_handles.h"

#include <algorithm>
#include <climits>

using namespace api_tests;

namespace {

struct Operation {
  OH_NN_OperationType type;
  std::vector<uint32_t> inputs, outputs;
};

// An executor for float tensors with these shapes; with `spelled`, a shape is written to an INT64 tensor.
Executor executor_for(const std::vector<std::vector<int32_t>>& shapes,
                      const std::vector<Operation>& operations, const std::vector<uint32_t>& inputs,
                      const std::vector<uint32_t>& outputs, int spelled = -1) {
  const Model model(OH_NNModel_Construct());
  for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
    const auto type = i == spelled ? OH_NN_INT64 : OH_NN_FLOAT32;
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shapes[static_cast<size_t>(i)], type).get()),
              OH_NN_SUCCESS);
  }
  for (const Operation& operation : operations)
    add_operation(model, operation.type, operation.inputs, operation.outputs);
  finish(model, inputs, outputs);
  return executor_for(model);
}

Tensor room_for(size_t bytes, const std::vector<int32_t>& shape) {
  Tensor tensor(OH_NNTensor_CreateWithSize(0, desc_of(shape).get(), bytes));
  std::memset(OH_NNTensor_GetDataBuffer(tensor.get()), 0x55, bytes);
  return tensor;
}

bool is_untouched(const Tensor& tensor, size_t from, size_t to) {
  const auto* bytes = static_cast<const unsigned char*>(OH_NNTensor_GetDataBuffer(tensor.get()));
  return std::all_of(bytes + from, bytes + to, [](unsigned char byte) { return byte == 0x55; });
}

}  // namespace

// More shapes than a device caches programs for, each more than once.
TEST(Dynamic, EachRunMayHaveAnotherShape) {
  const Executor executor = executor_of({-1, 3});
  const Tensor y = room_for(1000, {-1, 3});
  for (int round = 0; round < 2; ++round) {
    for (int32_t rows = 1; rows <= 20; ++rows) {
      const size_t count = static_cast<size_t>(rows) * 3;
      const Tensor a = tensor_of({rows, 3}, std::vector<float>(count, static_cast<float>(rows)));
      ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
      EXPECT_EQ(values_of(y, count), std::vector<float>(count, static_cast<float>(2 * rows)));
      EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{rows, 3}));
      EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(y.get())), (std::vector<int32_t>{rows, 3}));
    }
  }
  const Desc declared(OH_NNExecutor_CreateOutputTensorDesc(executor.get(), 0));
  EXPECT_EQ(shape_of(declared.get()), (std::vector<int32_t>{-1, 3}));
}

TEST(Dynamic, DimensionsOfOneOutputComeFromSeveralInputs) {
  const Executor executor =
      executor_for({{-1, 3}, {3, -1}, {-1, -1}}, {{OH_NN_OPS_MATMUL, {0, 1}, {2}}}, {0, 1}, {2});
  for (const auto& [rows, columns] : {std::pair(2, 5), {7, 1}, {2, 5}}) {
    const Tensor a = tensor_of({rows, 3}, std::vector<float>(static_cast<size_t>(rows) * 3, 2));
    const Tensor b = tensor_of({3, columns}, std::vector<float>(static_cast<size_t>(columns) * 3, 5));
    const Tensor y = room_for(140, {-1, -1});
    ASSERT_EQ(run(executor.get(), {a.get(), b.get()}, {y.get()}), OH_NN_SUCCESS);
    const auto count = static_cast<size_t>(rows * columns);
    EXPECT_EQ(values_of(y, count), std::vector<float>(count, 30));
    EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{rows, columns}));
  }
}

TEST(Dynamic, LeavesExcessOutputBytes) {
  const Executor executor = executor_of({-1});
  const Tensor a = tensor_of({5}, {1, 2, 3, 4, 5}), y = room_for(100, {-1});
  ASSERT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 5), (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_TRUE(is_untouched(y, 20, 100));
}

TEST(Dynamic, WritesNothingIfOutputTooSmall) {
  const Executor executor =
      executor_for({{-1}, {-1}, {-1}}, {{OH_NN_OPS_RELU, {0}, {1}}, {OH_NN_OPS_EXP, {0}, {2}}}, {0}, {1, 2});
  const Tensor x = tensor_of({5}), large = room_for(20, {-1}), small = room_for(19, {-1});
  EXPECT_EQ(run(executor.get(), {x.get()}, {large.get(), small.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_TRUE(is_untouched(large, 0, 20));
  EXPECT_TRUE(is_untouched(small, 0, 19));
  EXPECT_EQ(output_shape(executor.get(), 1), std::vector<int32_t>{5}) << "what was needed";
  EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(small.get())), std::vector<int32_t>{-1});
}

TEST(Dynamic, RejectsInconsistentShapes) {
  const Executor executor = executor_of({-1, 3});
  const Tensor two = tensor_of({2, 3}), five = tensor_of({5, 3}), y = room_for(100, {-1, 3});
  EXPECT_EQ(run(executor.get(), {two.get(), five.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_TRUE(is_untouched(y, 0, 100));
  EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{-1, 3})) << "as declared";
}

TEST(Dynamic, RangesMatchAcceptedShapes) {
  const Executor executor = executor_of({-1, 1000});
  size_t *min = nullptr, *max = nullptr, length = 0;
  ASSERT_EQ(OH_NNExecutor_GetInputDimRange(executor.get(), 0, &min, &max, &length), OH_NN_SUCCESS);
  ASSERT_EQ(length, 2u);
  EXPECT_EQ(min[0], 1u);
  EXPECT_EQ(max[1], 1000u);
  const std::vector<int32_t> beyond{static_cast<int32_t>(std::min<size_t>(max[0], INT32_MAX - 1) + 1), 1000};
  const Tensor x = tensor_of({1, 1000}), y = tensor_of({1, 1000});
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
  const OH_NN_Tensor tensor = legacy_tensor(beyond);
  const float value = 0;
  EXPECT_EQ(OH_NNExecutor_SetInput(executor.get(), 0, &tensor, &value, sizeof value),
            OH_NN_INVALID_PARAMETER);
}

// FILL's shape is computed in the run: the GPU leaves it to the CPU, and the edge between them grows.
TEST(Dynamic, EdgesBetweenDevicesGrow) {
  const Executor executor =
      executor_for({{2}, {1}, {-1, -1}, {-1, -1}},
                   {{OH_NN_OPS_FILL, {1, 0}, {2}}, {OH_NN_OPS_SQRT, {2}, {3}}}, {0, 1}, {3}, 0);
  const Tensor value = tensor_of({1}, {9});
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{2, 3}, {40, 50}, {1, 1}, {50, 50}}) {
    const Tensor spelled(OH_NNTensor_Create(0, desc_of({2}, OH_NN_INT64).get())),
        y = room_for(10000, {-1, -1});
    std::memcpy(OH_NNTensor_GetDataBuffer(spelled.get()), shape.data(), 2 * sizeof(int64_t));
    ASSERT_EQ(run(executor.get(), {spelled.get(), value.get()}, {y.get()}), OH_NN_SUCCESS);
    const auto count = static_cast<size_t>(shape[0] * shape[1]);
    EXPECT_EQ(values_of(y, count), std::vector<float>(count, 3));
    EXPECT_EQ(output_shape(executor.get()),
              (std::vector<int32_t>{static_cast<int32_t>(shape[0]), static_cast<int32_t>(shape[1])}));
  }
}
