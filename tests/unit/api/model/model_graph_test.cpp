// Unusual models: tensors listed twice, unused inputs, unused operations.
#include "tests/unit/api/api_test_handles.h"

using namespace api_tests;

namespace {

OH_NN_ReturnCode build_code(const Model& model) {
  return OH_NNCompilation_Build(Compilation(OH_NNCompilation_Construct(model.get())).get());
}

}  // namespace

TEST(ListedTwice, AnInputIsGivenTwice) {
  const Model model = with_tensors(2);
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0, 0}, {1});
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({2}, {-1, 5}), y = tensor_of({2});
  EXPECT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{0, 5}));
}

TEST(ListedTwice, AnOutputIsWrittenTwice) {
  const Model model = with_tensors(2);
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0}, {1, 1});
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({2}, {-1, 5}), y = tensor_of({2}), z = tensor_of({2});
  EXPECT_EQ(run(executor.get(), {x.get()}, {y.get(), y.get()}), OH_NN_INVALID_PARAMETER) << "one memory";
  EXPECT_EQ(run(executor.get(), {x.get()}, {y.get(), z.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{0, 5}));
  EXPECT_EQ(values_of(z, 2), (std::vector<float>{0, 5}));
}

TEST(UnreadInput, MustBeGivenAllTheSame) {
  const Model model = with_tensors(3);
  add_operation(model, OH_NN_OPS_RELU, {1}, {2});
  finish(model, {0, 1}, {2});
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({2}, {-1, 5}), wrong = tensor_of({3}), y = tensor_of({2});
  EXPECT_EQ(run(executor.get(), {wrong.get(), x.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(run(executor.get(), {x.get(), x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{0, 5}));
}

TEST(ConstantInput, IsFedAndItsDataNeverRead) {
  const Model model = with_tensors(2);
  const float data[] = {7, 7};
  ASSERT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, sizeof data), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0}, {1});
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({2}, {-1, 5}), y = tensor_of({2});
  EXPECT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{0, 5}));
}

TEST(ConstantInput, CannotBeTheTypeOfACast) {
  const Model model = with_tensors(1);
  OH_NNModel_AddTensorToModel(model.get(), desc_of({}, OH_NN_INT32).get());
  OH_NNModel_AddTensorToModel(model.get(), desc_of({2}, OH_NN_INT32).get());
  const int32_t type = OH_NN_INT32;
  ASSERT_EQ(OH_NNModel_SetTensorData(model.get(), 1, &type, sizeof type), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_CAST, {0, 1}, {2});
  finish(model, {0, 1}, {2});
  EXPECT_EQ(build_code(model), OH_NN_INVALID_PARAMETER);
}

TEST(DeadOperation, IsJudgedButNotRun) {
  const Model model = with_tensors(4);
  add_operation(model, OH_NN_OPS_EXP, {0}, {1});
  add_operation(model, OH_NN_OPS_LOG, {1}, {2});
  add_operation(model, OH_NN_OPS_RELU, {0}, {3});
  finish(model, {0}, {3});
  EXPECT_EQ(available(model, 0), std::vector<bool>(3, true));
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({2}, {-1, 5}), y = tensor_of({2});
  EXPECT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 2), (std::vector<float>{0, 5}));
}

TEST(DeadOperation, InvalidOneFailsTheBuild) {
  const Model model = with_tensors(2);
  OH_NNModel_AddTensorToModel(model.get(), desc_of({2}, OH_NN_BOOL).get());
  add_operation(model, OH_NN_OPS_SIN, {0}, {2});
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  finish(model, {0}, {1});
  EXPECT_EQ(build_code(model), OH_NN_INVALID_PARAMETER);
}

TEST(Finish, RefusesCyclesSecondWritersAndUnwrittenOutputs) {
  const auto finish_code = [](const Model& model, const Indices& inputs, const Indices& outputs) {
    EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &inputs, &outputs), OH_NN_SUCCESS);
    return OH_NNModel_Finish(model.get());
  };
  const Model cycle = with_tensors(3);
  add_operation(cycle, OH_NN_OPS_ADD, {0, 2}, {1});
  add_operation(cycle, OH_NN_OPS_RELU, {1}, {2});
  EXPECT_EQ(finish_code(cycle, {0}, {2}), OH_NN_INVALID_PARAMETER);
  const Model twice = with_tensors(2);
  add_operation(twice, OH_NN_OPS_RELU, {0}, {1});
  add_operation(twice, OH_NN_OPS_ABS, {0}, {1});
  EXPECT_EQ(finish_code(twice, {0}, {1}), OH_NN_INVALID_PARAMETER);
  const Model input = with_tensors(2);
  add_operation(input, OH_NN_OPS_RELU, {0}, {1});
  add_operation(input, OH_NN_OPS_RELU, {1}, {0});
  EXPECT_EQ(finish_code(input, {0}, {1}), OH_NN_INVALID_PARAMETER);
  const Model unwritten = with_tensors(3);
  add_operation(unwritten, OH_NN_OPS_RELU, {0}, {1});
  EXPECT_EQ(finish_code(unwritten, {0}, {2}), OH_NN_INVALID_PARAMETER);
}

TEST(Limits, Allow200InputsAndOutputs) {
  const auto list = [](uint32_t first, uint32_t count) {
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < count; ++i) numbers.push_back(first + i);
    return numbers;
  };
  const auto array = [](std::vector<uint32_t>& numbers) {
    return OH_NN_UInt32Array{numbers.data(), static_cast<uint32_t>(numbers.size())};
  };
  const Model model = with_tensors(201);
  OH_NNModel_AddTensorToModel(model.get(), desc_of({400}).get());
  const Indices none{}, y{201};
  std::vector<uint32_t> all = list(0, 201), max = list(0, 200);
  const OH_NN_UInt32Array too_many = array(all), enough = array(max);
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_CONCAT, &none, &too_many, &y),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_CONCAT, &none, &enough, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &too_many, &y), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &y, &too_many), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &enough, &y), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  const Executor executor = executor_for(model);
  const Tensor x = tensor_of({2}, {1, 2}), result = tensor_of({400});
  EXPECT_EQ(run(executor.get(), std::vector<NN_Tensor*>(200, x.get()), {result.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor.get(), std::vector<NN_Tensor*>(201, x.get()), {result.get()}),
            OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(values_of(result, 400)[399], 2.0f);
}
