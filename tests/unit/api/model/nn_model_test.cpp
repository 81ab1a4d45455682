#include "tests/unit/api/api_test_handles.h"

#include <limits>

using namespace api_tests;

namespace {

OH_NN_ReturnCode add_tensor(const Model& model, const std::vector<int32_t>& shape,
                            OH_NN_DataType type = OH_NN_FLOAT32) {
  return OH_NNModel_AddTensorToModel(model.get(), desc_of(shape, type).get());
}

OH_NN_ReturnCode add_operation(const Model& model, OH_NN_OperationType op, const Indices& params,
                               const Indices& inputs, const Indices& outputs) {
  return OH_NNModel_AddOperation(model.get(), op, &params, &inputs, &outputs);
}

QuantParam quant_of(std::vector<double> scales, std::vector<int32_t> zero_points,
                    std::vector<uint32_t> bits) {
  QuantParam quant(OH_NNQuantParam_Create());
  if (!scales.empty()) OH_NNQuantParam_SetScales(quant.get(), scales.data(), scales.size());
  if (!zero_points.empty())
    OH_NNQuantParam_SetZeroPoints(quant.get(), zero_points.data(), zero_points.size());
  if (!bits.empty()) OH_NNQuantParam_SetNumBits(quant.get(), bits.data(), bits.size());
  return quant;
}

}  // namespace

TEST(QuantParam, CountsMustNotBeZero) {
  const QuantParam quant(OH_NNQuantParam_Create());
  const double scale = 1;
  const int32_t zero = 0;
  const uint32_t bits = 8;
  EXPECT_EQ(OH_NNQuantParam_SetScales(quant.get(), &scale, 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNQuantParam_SetZeroPoints(quant.get(), &zero, 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNQuantParam_SetNumBits(quant.get(), &bits, 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNQuantParam_SetNumBits(quant.get(), &bits, 1), OH_NN_SUCCESS);
}

TEST(QuantParam, DestroyNullsTheHandle) {
  NN_QuantParam* quant = OH_NNQuantParam_Create();
  EXPECT_EQ(OH_NNQuantParam_Destroy(&quant), OH_NN_SUCCESS);
  EXPECT_EQ(quant, nullptr);
  EXPECT_EQ(OH_NNQuantParam_Destroy(&quant), OH_NN_INVALID_PARAMETER);
}

TEST(Model, DestroyNullsTheHandle) {
  OH_NNModel* model = OH_NNModel_Construct();
  OH_NNModel_Destroy(&model);
  EXPECT_EQ(model, nullptr);
}

TEST(Model, DimensionsArePositiveOrUnknown) {
  const Model model(OH_NNModel_Construct());
  EXPECT_EQ(add_tensor(model, {2, -1, 3}), OH_NN_SUCCESS);
  EXPECT_EQ(add_tensor(model, {}), OH_NN_SUCCESS);
  EXPECT_EQ(add_tensor(model, {2, 0}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add_tensor(model, {2, -2}), OH_NN_INVALID_PARAMETER);
}

TEST(Model, TensorsHaveFewerThan4GiB) {
  const Model model(OH_NNModel_Construct());
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(add_tensor(model, {1 << 30, -1}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add_tensor(model, {1 << 30}, OH_NN_INT8), OH_NN_SUCCESS);
  EXPECT_EQ(add_tensor(model, {kHuge, kHuge, kHuge, kHuge}), OH_NN_INVALID_PARAMETER);
}

TEST(Model, DataMustHaveTheTensorsSize) {
  const Model model(OH_NNModel_Construct());
  const float data[7] = {};
  ASSERT_EQ(add_tensor(model, {2, 3}), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 23), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 28), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, data, 24), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 24), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 24), OH_NN_INVALID_PARAMETER) << "set before";
}

TEST(Model, TensorsOfUnknownTypeTakeNoData) {
  const Model model(OH_NNModel_Construct());
  const float data[1] = {};
  ASSERT_EQ(add_tensor(model, {2, 3}, OH_NN_UNKNOWN), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 0), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 4), OH_NN_INVALID_PARAMETER);
}

TEST(Model, DataOfDynamicTensorsIsForbidden) {
  const Model model(OH_NNModel_Construct());
  const float data[6] = {};
  ASSERT_EQ(add_tensor(model, {2, -1}), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 24), OH_NN_OPERATION_FORBIDDEN);
  constexpr int32_t kHuge = std::numeric_limits<int32_t>::max();
  ASSERT_EQ(add_tensor(model, {kHuge, kHuge, kHuge}, OH_NN_UNKNOWN), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, data, 24), OH_NN_INVALID_PARAMETER) << "not dynamic";
}

TEST(Model, DataOfInputsAndOutputsIsForbidden) {
  const Model model = open_model({2, 3});
  const float data[6] = {};
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 0, data, 24), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 3, data, 24), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 3, data, 7), OH_NN_OPERATION_FORBIDDEN) << "state first";
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 3, data, 0), OH_NN_OPERATION_FORBIDDEN) << "state first";
}

TEST(Model, ChecksQuantParams) {
  const Model model = open_model({2, 3});
  const auto set = [&](const QuantParam& quant, uint32_t index = 0) {
    return OH_NNModel_SetTensorQuantParams(model.get(), index, quant.get());
  };
  EXPECT_EQ(set(quant_of({0.5}, {0}, {8})), OH_NN_SUCCESS);
  EXPECT_EQ(set(quant_of({0.5, 0.25}, {0, 1}, {8, 8})), OH_NN_SUCCESS);
  EXPECT_EQ(set(quant_of({}, {}, {})), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set(quant_of({0.5}, {0}, {})), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set(quant_of({0.5, 0.5}, {0}, {8})), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set(quant_of({0.5}, {0}, {16})), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set(quant_of({0.5}, {0}, {8}), 4), OH_NN_INVALID_PARAMETER);
}

TEST(Model, EveryTensorTypeOfTheEnumerationIsAccepted) {
  const Model model = open_model({2, 3});
  const auto set = [&](int type, uint32_t index = 0) {
    return OH_NNModel_SetTensorType(model.get(), index, any<OH_NN_TensorType>(type));
  };
  for (int type = 0; type <= 162; ++type) EXPECT_EQ(set(type), OH_NN_SUCCESS);
  EXPECT_EQ(set(-1), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set(163), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(set(0, 4), OH_NN_INVALID_PARAMETER);
}

TEST(Model, ArraysAreEmptyOrHaveData) {
  const Model model = open_model({2, 3});
  uint32_t numbers[] = {0};
  const OH_NN_UInt32Array no_data{nullptr, 1}, no_size{numbers, 0};
  const Indices none{}, sum{2}, y{3};
  for (const OH_NN_UInt32Array* broken : {&no_data, &no_size}) {
    EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_RELU, broken, &sum, &y),
              OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_RELU, &none, broken, &y),
              OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_RELU, &none, &sum, broken),
              OH_NN_INVALID_PARAMETER);
    EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(Model(OH_NNModel_Construct()).get(), broken, &y),
              OH_NN_INVALID_PARAMETER);
  }
}

TEST(Model, AddOperationChecksSignature) {
  const Model model = open_model({2, 3});
  const auto relu = [&](const Indices& params, const Indices& inputs, const Indices& outputs) {
    return add_operation(model, OH_NN_OPS_RELU, params, inputs, outputs);
  };
  EXPECT_EQ(relu({}, {0, 1}, {3}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(relu({}, {}, {3}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(relu({}, {0}, {}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(relu({}, {4}, {3}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(relu({}, {0}, {0}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(relu({1}, {0}, {3}), OH_NN_INVALID_PARAMETER);
  for (const int op : {-1, 0, 109}) {
    EXPECT_EQ(add_operation(model, any<OH_NN_OperationType>(op), {}, {0}, {3}), OH_NN_INVALID_PARAMETER);
  }
}

TEST(Model, FusedActivationsAreChecked) {
  for (const int8_t activation : std::initializer_list<int8_t>{-1, 0, 1, 2, 3}) {
    const Model model(OH_NNModel_Construct());
    for (int i = 0; i < 3; ++i) add_tensor(model, {2});
    add_tensor(model, {}, OH_NN_INT8);
    ASSERT_EQ(OH_NNModel_SetTensorType(model.get(), 3, OH_NN_ADD_ACTIVATIONTYPE), OH_NN_SUCCESS);
    ASSERT_EQ(OH_NNModel_SetTensorData(model.get(), 3, &activation, 1), OH_NN_SUCCESS);
    EXPECT_EQ(add_operation(model, OH_NN_OPS_ADD, {3}, {0, 1}, {2}),
              activation >= 0 && activation <= 2 ? OH_NN_SUCCESS : OH_NN_INVALID_PARAMETER);
  }
}

TEST(Model, SpecifyIsCalledOnce) {
  const Model model = open_model({2, 3});
  const Indices a_b{0, 1}, y{3};
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &a_b, &y), OH_NN_OPERATION_FORBIDDEN);
}

TEST(Model, SpecifyRefusesTensorsOnBothSides) {
  const Model model(OH_NNModel_Construct());
  add_tensor(model, {2});
  const Indices zero{0}, one{1}, both{0, 0};
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &zero, &zero), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &zero, &one), OH_NN_INVALID_PARAMETER);
  add_tensor(model, {2});
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &both, &one), OH_NN_SUCCESS);
}

TEST(Model, FinishNeedsTensorsOperationsAndAnInterface) {
  const Model model(OH_NNModel_Construct());
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_OPERATION_FORBIDDEN);
  for (int i = 0; i < 2; ++i) add_tensor(model, {2});
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(add_operation(model, OH_NN_OPS_RELU, {}, {0}, {1}), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_OPERATION_FORBIDDEN);
  const Indices x{0}, y{1};
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &x, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_OPERATION_FORBIDDEN);
}

TEST(Model, AFailedFinishCanBeRepaired) {
  const Model model(OH_NNModel_Construct());
  for (int i = 0; i < 3; ++i) add_tensor(model, {2});
  add_operation(model, OH_NN_OPS_RELU, {}, {1}, {2});
  const Indices x{0}, y{2};
  ASSERT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &x, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_INVALID_PARAMETER) << "nothing provides tensor 1";
  EXPECT_EQ(add_operation(model, OH_NN_OPS_RELU, {}, {0}, {1}), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS) << "in any order";
}

TEST(Model, RejectsChangesAfterFinish) {
  const Model model = finished_model({2, 3});
  const QuantParam quant = quant_of({0.5}, {0}, {8});
  const std::vector<int32_t> shape{2, 3};
  const OH_NN_Tensor legacy = legacy_tensor(shape);
  const Indices a_b{0, 1}, y{3};
  const float data[6] = {};
  EXPECT_EQ(add_tensor(model, {2, 3}), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_AddTensor(model.get(), &legacy), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 2, data, 24), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_SetTensorQuantParams(model.get(), 0, quant.get()), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_SetTensorType(model.get(), 0, OH_NN_TENSOR), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(add_operation(model, OH_NN_OPS_RELU, {}, {0}, {3}), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &a_b, &y), OH_NN_OPERATION_FORBIDDEN);
}

TEST(AvailableOperations, HasOneEntryPerOperationInOrder) {
  const Model model(OH_NNModel_Construct());
  for (int i = 0; i < 3; ++i) add_tensor(model, {2}, i == 2 ? OH_NN_BOOL : OH_NN_FLOAT32);
  // Added last to first; SIN of BOOL is invalid.
  ASSERT_EQ(add_operation(model, OH_NN_OPS_SIN, {}, {1}, {2}), OH_NN_SUCCESS);
  ASSERT_EQ(add_operation(model, OH_NN_OPS_RELU, {}, {0}, {1}), OH_NN_SUCCESS);
  const Indices x{0}, y{2};
  ASSERT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &x, &y), OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  EXPECT_EQ(available(model, 0), (std::vector<bool>{false, true}));
}

TEST(AvailableOperations, ChecksStateThenDevice) {
  const bool* supported = nullptr;
  uint32_t count = 77;
  EXPECT_EQ(OH_NNModel_GetAvailableOperations(open_model({2}).get(), 12345, &supported, &count),
            OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNModel_GetAvailableOperations(finished_model({2}).get(), 12345, &supported, &count),
            OH_NN_FAILED);
  EXPECT_EQ(supported, nullptr);
  EXPECT_EQ(count, 77u);
  const bool taken = true;
  supported = &taken;
  EXPECT_EQ(OH_NNModel_GetAvailableOperations(finished_model({2}).get(), 0, &supported, &count),
            OH_NN_INVALID_PARAMETER);
}

TEST(LegacyAddTensor, ChecksEveryMember) {
  const std::vector<int32_t> shape{2, 3}, long_shape(201, 1), max_shape(200, 1);
  const double scale = 0.5;
  const int32_t zero = 0;
  const uint32_t bits = 8, wrong_bits = 4;
  const OH_NN_QuantParam good{1, &bits, &scale, &zero}, no_scale{1, &bits, nullptr, &zero},
      four_bits{1, &wrong_bits, &scale, &zero};
  const auto add = [](OH_NN_Tensor tensor, const auto& change) {
    change(tensor);
    return OH_NNModel_AddTensor(Model(OH_NNModel_Construct()).get(), &tensor);
  };
  const OH_NN_Tensor tensor = legacy_tensor(shape);
  EXPECT_EQ(add(tensor, [](auto&) {}), OH_NN_SUCCESS);
  EXPECT_EQ(add(tensor, [&](auto& t) { t.quantParam = &good; }), OH_NN_SUCCESS);
  EXPECT_EQ(add(legacy_tensor({}), [](auto&) {}), OH_NN_SUCCESS);
  EXPECT_EQ(add(legacy_tensor(max_shape), [](auto&) {}), OH_NN_SUCCESS);
  EXPECT_EQ(add(legacy_tensor(long_shape), [](auto&) {}), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add(tensor, [&](auto& t) { t.quantParam = &no_scale; }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add(tensor, [&](auto& t) { t.quantParam = &four_bits; }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add(tensor, [](auto& t) { t.dimensions = nullptr; }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add(tensor, [](auto& t) { t.dimensionCount = 0; }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add(tensor, [](auto& t) { t.dataType = any<OH_NN_DataType>(13); }), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(add(tensor, [](auto& t) { t.type = any<OH_NN_TensorType>(163); }), OH_NN_INVALID_PARAMETER);
}
