#include "tests/unit/api/api_test_handles.h"

#include <neural_network_runtime/nnrt_extensions.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>

namespace api_tests {
namespace {

using nlohmann::json;

// y = relu(x), z = sin(y) to BOOL, which is invalid.
Model model_with_a_fault() {
  Model model(OH_NNModel_Construct());
  for (const OH_NN_DataType type : {OH_NN_FLOAT32, OH_NN_FLOAT32, OH_NN_BOOL})
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of({2}, type).get()), OH_NN_SUCCESS);
  add_operation(model, OH_NN_OPS_RELU, {0}, {1});
  add_operation(model, OH_NN_OPS_SIN, {1}, {2});
  finish(model, {0}, {2});
  return model;
}

json explained(const Model& model) {
  return json::parse(text_of([&](char* buffer, size_t size, size_t* length) {
    return OH_NNRt_ExplainOperations(model.get(), buffer, size, length);
  }));
}

TEST(ExplainOperations, ReportsDeviceAndReason) {
  const std::vector<size_t> ids = device_ids();
  const json operations = explained(model_with_a_fault());
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0]["operator"], "RELU");
  EXPECT_EQ(operations[1]["operator"], "SIN");
  ASSERT_EQ(operations[0]["devices"].size(), ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    const json& taken = operations[0]["devices"][i];
    const json& refused = operations[1]["devices"][i];
    EXPECT_EQ(taken["id"], std::to_string(ids[i]));
    EXPECT_TRUE(taken["supports"].get<bool>());
    EXPECT_FALSE(taken.contains("reason"));
    EXPECT_FALSE(refused["supports"].get<bool>());
    EXPECT_NE(refused["reason"].get<std::string>().find("BOOL"), std::string::npos) << refused;
  }
}

TEST(ExplainOperations, AgreesWithTheAvailableOperationsOfEachDevice) {
  const Model model = model_with_a_fault();
  const std::vector<bool> supported = available(model, 0);
  const json operations = explained(model);
  ASSERT_EQ(operations.size(), supported.size());
  for (size_t i = 0; i < supported.size(); ++i)
    EXPECT_EQ(operations[i]["devices"][0]["supports"].get<bool>(), supported[i]);
}

// With the prefix of NNRT_DEVICES.
TEST(ExplainOperations, NamesDevicesAsOtherFunctionsDo) {
  ASSERT_EQ(setenv("NNRT_DEVICES", "cpu,prefix:NPU_", 1), 0);
  const json operations = explained(finished_model({2}));
  const std::string name = device_name(device_ids().front());
  ASSERT_EQ(setenv("NNRT_DEVICES", "cpu", 1), 0);
  EXPECT_TRUE(name.starts_with("NPU_")) << name;
  EXPECT_EQ(operations[0]["devices"][0]["name"], name);
}

TEST(ExplainOperations, RefusesInvalidArguments) {
  const Model model = finished_model({2});
  size_t length = 0;
  std::string text(3, '?');
  EXPECT_EQ(OH_NNRt_ExplainOperations(nullptr, nullptr, 0, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ExplainOperations(model.get(), nullptr, 0, nullptr), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ExplainOperations(model.get(), nullptr, 1, &length), OH_NN_INVALID_PARAMETER);
  EXPECT_EQ(OH_NNRt_ExplainOperations(open_model({2}).get(), nullptr, 0, &length), OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(OH_NNRt_ExplainOperations(model.get(), text.data(), text.size(), &length),
            OH_NN_INVALID_PARAMETER);
  EXPECT_GT(length, text.size());
  EXPECT_EQ(text, "???");
}

}  // namespace
}  // namespace api_tests
