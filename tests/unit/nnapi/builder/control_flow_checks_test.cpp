// The models accepted by IF and WHILE.
#include "tests/unit/nnapi/nnapi_test_handles.h"

namespace nnapi_tests {
namespace {

Type flag(std::vector<uint32_t> dims = {1}) { return Type(ANEURALNETWORKS_TENSOR_BOOL8, std::move(dims)); }
Type a_model() { return Type(ANEURALNETWORKS_MODEL); }

// One operation from inputs of these types to an output of that type.
Model inner(int32_t code, std::vector<Type> inputs, Type output, std::vector<uint32_t> reads) {
  Model model = new_model();
  std::vector<uint32_t> indices;
  for (const Type& input : inputs) {
    indices.push_back(static_cast<uint32_t>(indices.size()));
    EXPECT_EQ(add_operand(model, input), kOk);
  }
  EXPECT_EQ(add_operand(model, output), kOk);
  const auto last = static_cast<uint32_t>(inputs.size());
  EXPECT_EQ(add_operation(model, code, reads, {last}), kOk);
  EXPECT_EQ(identify(model, indices, {last}), kOk);
  EXPECT_EQ(finish(model), kOk);
  return model;
}

Model branch(Type type) { return inner(ANEURALNETWORKS_ABS, {type}, type, {0}); }

int add_if(const Type& condition, const Model& first, const Model& second, const Type& value,
           const Type& result) {
  const Model model = new_model();
  for (const Type& type : {condition, a_model(), a_model(), value, result})
    EXPECT_EQ(add_operand(model, type), kOk);
  if (first) {
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 1, first.get()), kOk);
  }
  if (second) {
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 2, second.get()), kOk);
  }
  return add_operation(model, ANEURALNETWORKS_IF, {0, 1, 2, 3}, {4});
}

TEST(If, AcceptsMatchingModels) {
  const Model fits = branch(floats({2}));
  EXPECT_EQ(add_if(flag(), fits, fits, floats({2}), floats({2})), kOk);
  EXPECT_EQ(add_if(flag({}), fits, branch(floats({0})), floats({0}), floats({})), kOk)
      << "what is not known fits";
}

TEST(If, RefusesOthers) {
  const Model fits = branch(floats({2}));
  const Type value = floats({2});
  EXPECT_EQ(add_if(flag({2}), fits, fits, value, value), kData) << "a condition of two elements";
  EXPECT_EQ(add_if(floats({1}), fits, fits, value, value), kData) << "a condition of another type";
  EXPECT_EQ(add_if(flag(), fits, nullptr, value, value), kData) << "no model yet";
  EXPECT_EQ(add_if(flag(), fits, branch(floats({3})), value, value), kData) << "another dimension";
  EXPECT_EQ(add_if(flag(), fits, branch(floats({2, 1})), value, value), kData) << "another rank";
  EXPECT_EQ(add_if(flag(), fits, branch(Type(ANEURALNETWORKS_TENSOR_INT32, {2})), value, value), kData)
      << "another type";
  EXPECT_EQ(add_if(flag(), fits, branch(Type(ANEURALNETWORKS_TENSOR_INT32, {2}, 0.5f)), value, value), kData);
  EXPECT_EQ(add_if(flag(), add_model(), fits, value, value), kData) << "another number of inputs";
}

int add_while(const Model& condition, const Model& body, const std::vector<Type>& values,
              const Type& result) {
  const Model model = new_model();
  for (const Type& type : {a_model(), a_model()}) EXPECT_EQ(add_operand(model, type), kOk);
  std::vector<uint32_t> inputs{0, 1};
  for (const Type& value : values) {
    inputs.push_back(static_cast<uint32_t>(inputs.size()));
    EXPECT_EQ(add_operand(model, value), kOk);
  }
  EXPECT_EQ(add_operand(model, result), kOk);
  if (condition) {
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 0, condition.get()), kOk);
  }
  if (body) {
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), 1, body.get()), kOk);
  }
  return add_operation(model, ANEURALNETWORKS_WHILE, inputs, {static_cast<uint32_t>(inputs.size())});
}

Model less(std::vector<uint32_t> dims) {
  return inner(ANEURALNETWORKS_LESS, {floats(dims), floats(dims)}, flag(dims), {0, 1});
}
Model maximum() { return inner(ANEURALNETWORKS_MAXIMUM, {floats({1}), floats({1})}, floats({1}), {0, 1}); }

TEST(While, AcceptsMatchingModels) {
  EXPECT_EQ(add_while(less({1}), maximum(), {floats({1}), floats({1})}, floats({1})), kOk);
}

TEST(While, RefusesOthers) {
  const std::vector<Type> values{floats({1}), floats({1})};
  EXPECT_EQ(add_while(nullptr, maximum(), values, floats({1})), kData) << "no condition yet";
  EXPECT_EQ(add_while(less({1}), nullptr, values, floats({1})), kData) << "no body yet";
  EXPECT_EQ(add_while(less({2}), maximum(), values, floats({1})), kData) << "another dimension";
  EXPECT_EQ(add_while(maximum(), maximum(), values, floats({1})), kData) << "a condition that gives a float";
  EXPECT_EQ(add_while(less({1}), branch(floats({1})), values, floats({1})), kData)
      << "another number of inputs";
  EXPECT_EQ(add_while(less({1}), maximum(), values, floats({2})), kData) << "another output";
  EXPECT_EQ(add_while(less({1}), maximum(), {floats({1})}, floats({1})), kData) << "too few values";
}

}  // namespace
}  // namespace nnapi_tests
