// The checks of the section "Model": call, condition, code.
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <android/NeuralNetworksOEM.h>

#include <array>
#include <cstdint>

namespace nnapi_tests {
namespace {

constexpr int32_t kAdd = ANEURALNETWORKS_ADD, kAbs = ANEURALNETWORKS_ABS;

Model model_with(std::vector<Type> operands) {
  Model model = new_model();
  for (Type& operand : operands) EXPECT_EQ(add_operand(model, operand), kOk);
  return model;
}

// A model whose finish failed.
Model invalid_model() {
  Model model = new_model();
  EXPECT_EQ(finish(model), kData);
  return model;
}

TEST(Model, CreateNeedsAPlace) { EXPECT_EQ(ANeuralNetworksModel_create(nullptr), kNull); }

TEST(Model, AddOperandChecksItsType) {
  const Model model = new_model();
  const uint32_t dimension = 2;
  const ANeuralNetworksOperandType no_dimensions{ANEURALNETWORKS_TENSOR_FLOAT32, 1, nullptr, 0, 0};
  const ANeuralNetworksOperandType no_count{ANEURALNETWORKS_TENSOR_FLOAT32, 0, &dimension, 0, 0};
  EXPECT_EQ(ANeuralNetworksModel_addOperand(nullptr, floats({2})), kNull);
  EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), nullptr), kNull);
  EXPECT_EQ(add_operand(model, Type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, -1)), kData);
  EXPECT_EQ(add_operand(model, Type(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {2}, 1, -1)), kData);
  EXPECT_EQ(add_operand(model, Type(ANEURALNETWORKS_INT32, {1})), kData);
  EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), &no_dimensions), kData);
  EXPECT_EQ(ANeuralNetworksModel_addOperand(model.get(), &no_count), kData);
  EXPECT_EQ(add_operand(model, Type(-1)), kData);
  for (const int32_t code : {16, 9999, 10002}) EXPECT_EQ(add_operand(model, Type(code)), kData);
  EXPECT_EQ(add_operand(model, floats({5, 4, 4, 786433, 5, 3, 16777216, 4, 5})), kData);
  EXPECT_EQ(add_operand(model, floats({5, 4, 4, 0, 5, 3, 0, 4, 5})), kOk);
  EXPECT_EQ(add_operand(add_model(), floats({2})), kState);
  EXPECT_EQ(add_operand(invalid_model(), floats({2})), kState);
}

TEST(Model, SetOperandValue) {
  const Model model =
      model_with({Type(ANEURALNETWORKS_FLOAT32), floats({0, 2}), floats({}), Type(ANEURALNETWORKS_MODEL)});
  std::array<char, 20> buffer{};
  const auto set = [&](const Model& to, int32_t index, const void* value, size_t length) {
    return ANeuralNetworksModel_setOperandValue(to.get(), index, value, length);
  };
  EXPECT_EQ(set(nullptr, 0, buffer.data(), 4), kNull);
  EXPECT_EQ(set(model, 0, nullptr, 20), kNull);
  EXPECT_EQ(set(model, 0, buffer.data(), 20), kData);
  EXPECT_EQ(set(model, 0, buffer.data(), 0), kData);
  EXPECT_EQ(set(model, -1, buffer.data(), 4), kData);
  EXPECT_EQ(set(model, 4, buffer.data(), 4), kData);
  EXPECT_EQ(set(model, 1, buffer.data(), 8), kData) << "a dimension is not known";
  EXPECT_EQ(set(model, 2, buffer.data(), 4), kData) << "the rank is not known";
  EXPECT_EQ(set(model, 3, buffer.data(), 4), kData) << "a MODEL";
  EXPECT_EQ(set(model, 0, nullptr, 0), kOk);
  EXPECT_EQ(set(model, 0, buffer.data(), 4), kOk);
  EXPECT_EQ(set(add_model(), 0, buffer.data(), 8), kState);
  EXPECT_EQ(set(invalid_model(), 0, buffer.data(), 8), kState);
}

TEST(Model, SetOperandValueFromMemory) {
  const Model model = model_with({floats({1})});
  const SharedFile file(20);
  const auto set = [&](const Model& to, int32_t index, const ANeuralNetworksMemory* memory, size_t offset,
                       size_t length) {
    return ANeuralNetworksModel_setOperandValueFromMemory(to.get(), index, memory, offset, length);
  };
  EXPECT_EQ(set(nullptr, 0, file.get(), 0, 4), kNull);
  EXPECT_EQ(set(model, 0, nullptr, 0, 4), kNull);
  EXPECT_EQ(set(model, -1, file.get(), 0, 4), kData);
  EXPECT_EQ(set(model, 1, file.get(), 0, 4), kData);
  EXPECT_EQ(set(model, 0, file.get(), 0, 20), kData);
  EXPECT_EQ(set(model, 0, file.get(), 21, 4), kData);
  EXPECT_EQ(set(model, 0, file.get(), 17, 4), kData);
  EXPECT_EQ(set(model, 0, file.get(), SIZE_MAX, 4), kData);
  EXPECT_EQ(set(model, 0, file.part(20, 0, PROT_WRITE).get(), 0, 4), kData) << "may not be read";
  EXPECT_EQ(set(model, 0, file.get(), 16, 4), kOk);
  EXPECT_EQ(set(add_model(), 0, file.get(), 0, 8), kState);
}

TEST(Model, SetOperandValueFromModel) {
  const Model model = model_with({Type(ANEURALNETWORKS_MODEL), floats({1})});
  const Model value = add_model();
  const auto set = [](const Model& to, int32_t index, const Model& from) {
    return ANeuralNetworksModel_setOperandValueFromModel(to.get(), index, from.get());
  };
  EXPECT_EQ(set(model, 0, open_add()), kState);
  EXPECT_EQ(set(model, 0, invalid_model()), kState);
  EXPECT_EQ(set(nullptr, 0, value), kNull);
  EXPECT_EQ(set(model, 0, nullptr), kNull);
  EXPECT_EQ(set(model, -1, value), kData);
  EXPECT_EQ(set(model, 2, value), kData);
  EXPECT_EQ(set(model, 1, value), kData) << "no MODEL";
  EXPECT_EQ(set(model, 0, value), kOk);
  EXPECT_EQ(set(value, 0, value), kState);
}

TEST(Model, SetChannelQuant) {
  const Model model = model_with({Type(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}), floats({2}),
                                  Type(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {0})});
  const float scales[] = {1, 2, 3}, negative[] = {1, -1};
  using Params = ANeuralNetworksSymmPerChannelQuantParams;
  const auto set = [](const Model& to, int32_t index, const Params& params) {
    return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(to.get(), index, &params);
  };
  const Params good{0, 2, scales};
  EXPECT_EQ(set(nullptr, 0, good), kNull);
  EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 0, nullptr), kNull);
  EXPECT_EQ(set(model, 3, good), kData);
  EXPECT_EQ(set(model, -1, good), kData);
  EXPECT_EQ(set(model, 1, good), kData) << "another type";
  EXPECT_EQ(set(model, 2, good), kData) << "the dimension is not known";
  EXPECT_EQ(set(model, 0, {1, 2, scales}), kData) << "no such dimension";
  EXPECT_EQ(set(model, 0, {0, 3, scales}), kData) << "too many scales";
  EXPECT_EQ(set(model, 0, {0, 2, nullptr}), kData);
  EXPECT_EQ(set(model, 0, {0, 0, scales}), kData);
  EXPECT_EQ(set(model, 0, {0, 2, negative}), kData);
  EXPECT_EQ(set(model, 0, good), kOk);
  EXPECT_EQ(set(add_model(), 0, good), kState);
}

TEST(Model, AddOperation) {
  const Model model = model_with({floats({2}), floats({2})});
  const uint32_t index = 0, other = 1, outside = 2;
  const auto add = [](const Model& to, int32_t code, uint32_t inputs, const uint32_t* in, uint32_t outputs,
                      const uint32_t* out) {
    return ANeuralNetworksModel_addOperation(to.get(), code, inputs, in, outputs, out);
  };
  EXPECT_EQ(add(nullptr, kAbs, 1, &index, 1, &other), kNull);
  EXPECT_EQ(add(model, kAbs, 0, nullptr, 1, &other), kNull);
  EXPECT_EQ(add(model, kAbs, 1, &index, 0, nullptr), kNull);
  EXPECT_EQ(add(model, -1, 1, &index, 1, &other), kData);
  EXPECT_EQ(add(model, 9999, 1, &index, 1, &other), kData);
  EXPECT_EQ(add(model, 10001, 1, &index, 1, &other), kData);
  EXPECT_EQ(add(model, kAbs, 1, &outside, 1, &other), kData);
  EXPECT_EQ(add(model, kAbs, 1, &index, 1, &outside), kData);
  EXPECT_EQ(add(model, kAdd, 1, &index, 1, &other), kData);
  EXPECT_EQ(add(model, kAbs, 0, &index, 1, &other), kData);
  EXPECT_EQ(add(model, kAbs, 1, &index, 1, &other), kOk);
  EXPECT_EQ(add(add_model(), kAbs, 1, &index, 1, &other), kState);
}

TEST(Model, IdentifyInputsAndOutputs) {
  const uint32_t index = 0;
  Model model = model_with({floats({2}), floats({2}), Type(ANEURALNETWORKS_MODEL)});
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(nullptr, 1, &index, 1, &index), kNull);
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 0, nullptr, 1, &index), kNull);
  EXPECT_EQ(ANeuralNetworksModel_identifyInputsAndOutputs(model.get(), 1, &index, 0, nullptr), kNull);
  EXPECT_EQ(identify(model, {3}, {1}), kData);
  EXPECT_EQ(identify(model, {0}, {3}), kData);
  EXPECT_EQ(identify(model, {0, 0}, {1}), kData);
  EXPECT_EQ(identify(model, {0}, {1, 1}), kData);
  EXPECT_EQ(identify(model, {0, 1}, {1}), kData);
  EXPECT_EQ(identify(model, {2}, {1}), kData) << "a MODEL";
  const float value[2] = {};
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, value, sizeof value), kOk);
  EXPECT_EQ(identify(model, {0}, {1}), kData) << "it has a value";
  EXPECT_EQ(identify(open_add(), {0, 1, 2}, {3}), kData) << "a second time";
  EXPECT_EQ(identify(add_model(), {0, 1, 2}, {3}), kState);
}

TEST(Model, Relax) {
  const auto relax = ANeuralNetworksModel_relaxComputationFloat32toFloat16;
  EXPECT_EQ(relax(nullptr, true), kNull);
  EXPECT_EQ(relax(open_add().get(), true), kOk);
  for (const bool allow : {true, false}) EXPECT_EQ(relax(add_model().get(), allow), kState);
}

TEST(Model, Finish) {
  EXPECT_EQ(ANeuralNetworksModel_finish(nullptr), kNull);
  EXPECT_EQ(finish(new_model()), kData);
  EXPECT_EQ(finish(add_model()), kState);
  EXPECT_EQ(finish(invalid_model()), kState);
}

// A chain of ABS; operand 0 is the input.
int finish_chain(const std::vector<std::pair<uint32_t, uint32_t>>& edges, size_t operands, uint32_t output) {
  const Model model = model_with(std::vector<Type>(operands, floats({2})));
  for (const auto& [from, to] : edges) EXPECT_EQ(add_operation(model, kAbs, {from}, {to}), kOk);
  EXPECT_EQ(identify(model, {0}, {output}), kOk);
  return finish(model);
}

TEST(Model, FinishSorts) {
  EXPECT_EQ(finish_chain({{2, 3}, {1, 2}, {0, 1}}, 4, 3), kOk) << "in reverse order";
  EXPECT_EQ(finish_chain({{2, 1}, {1, 2}, {0, 3}}, 4, 3), kData) << "a cycle";
  EXPECT_EQ(finish_chain({{1, 1}}, 2, 1), kData) << "of one operation";
}

TEST(Model, FinishLooksForWhoWritesWhat) {
  EXPECT_EQ(finish_chain({{0, 1}, {0, 1}}, 2, 1), kData) << "written twice";
  EXPECT_EQ(finish_chain({{0, 1}}, 3, 1), kData) << "never written, and never read";
  EXPECT_EQ(finish_chain({{0, 1}, {2, 3}}, 4, 3), kData) << "never written";
  EXPECT_EQ(finish_chain({{0, 1}, {1, 0}}, 2, 1), kData) << "an input is written";
  EXPECT_EQ(finish_chain({{0, 1}, {0, 2}}, 3, 1), kOk) << "never read";
}

TEST(Model, FinishRefusesToWriteConstants) {
  const float value[2] = {};
  for (const void* buffer : {static_cast<const void*>(value), static_cast<const void*>(nullptr)}) {
    const Model model = model_with({floats({2}), floats({2}), floats({2})});
    EXPECT_EQ(
        ANeuralNetworksModel_setOperandValue(model.get(), 1, buffer, buffer == nullptr ? 0 : sizeof value),
        kOk);
    EXPECT_EQ(add_operation(model, kAbs, {0}, {1}), kOk);
    EXPECT_EQ(add_operation(model, kAbs, {1}, {2}), kOk);
    EXPECT_EQ(identify(model, {0}, {2}), kOk);
    EXPECT_EQ(finish(model), kData);
  }
}

TEST(Model, FinishRejectsAssignedInputs) {
  const float value[2] = {};
  for (const int32_t argument : {0, 3}) {
    const Model model = open_add();
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), argument, value, sizeof value), kOk);
    EXPECT_EQ(finish(model), kData);
  }
}

TEST(Model, FinishWantsScalesPerChannel) {
  for (const bool with_scales : {true, false}) {
    const Model model = model_with(
        {floats({1, 2, 2, 1}), Type(ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, {2}), floats({2})});
    const int8_t value[2] = {};
    const float scales[2] = {1, 2};
    const ANeuralNetworksSymmPerChannelQuantParams params{0, 2, scales};
    if (with_scales) {
      EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), 1, &params), kOk);
    }
    EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, value, sizeof value), kOk);
    EXPECT_EQ(add_operation(model, ANEURALNETWORKS_DEQUANTIZE, {1}, {2}), kOk);
    EXPECT_EQ(identify(model, {0}, {2}), kOk);
    EXPECT_EQ(finish(model), with_scales ? kOk : kData);
  }
}

TEST(Model, FinishChecksTheScalesOfIntegers) {
  for (const auto& [scale, zero_point, expected] :
       {std::tuple(0.5f, 0, kOk), std::tuple(-1.0f, 0, kData), std::tuple(0.5f, 1, kData)}) {
    const Type type(ANEURALNETWORKS_TENSOR_INT32, {2}, scale, zero_point);
    const Model model = model_with({type, type});
    EXPECT_EQ(add_operation(model, kAbs, {0}, {1}), kOk);
    EXPECT_EQ(identify(model, {0}, {1}), kOk);
    EXPECT_EQ(finish(model), expected) << scale << " " << zero_point;
  }
}

TEST(Model, SupportedOperations) {
  const Model model = add_model();
  const auto all = devices();
  const ANeuralNetworksDevice* const cpu = all.back();
  const ANeuralNetworksDevice* const twice[] = {cpu, cpu};
  const ANeuralNetworksDevice* const hole[] = {cpu, nullptr};
  const auto* const unknown = reinterpret_cast<const ANeuralNetworksDevice*>(&model);
  bool supported[1] = {};
  const auto ask = ANeuralNetworksModel_getSupportedOperationsForDevices;
  EXPECT_EQ(ask(nullptr, &cpu, 1, supported), kNull);
  EXPECT_EQ(ask(model.get(), nullptr, 1, supported), kNull);
  EXPECT_EQ(ask(model.get(), &cpu, 1, nullptr), kNull);
  EXPECT_EQ(ask(model.get(), &cpu, 0, supported), kData);
  EXPECT_EQ(ask(open_add().get(), &cpu, 1, supported), kState);
  EXPECT_EQ(ask(invalid_model().get(), &cpu, 1, supported), kState);
  EXPECT_EQ(ask(model.get(), twice, 2, supported), kData);
  EXPECT_EQ(ask(model.get(), hole, 2, supported), kNull);
  EXPECT_EQ(ask(model.get(), &unknown, 1, supported), kData);
  EXPECT_FALSE(supported[0]);
  EXPECT_EQ(ask(model.get(), &cpu, 1, supported), kOk);
  EXPECT_TRUE(supported[0]);
}

// A model with an OEM operation, which every call accepts.
Model model_of_maker(bool is_inner) {
  Model model = model_with({Type(ANEURALNETWORKS_OEM_SCALAR, {}, 0.5f, 7),
                            Type(ANEURALNETWORKS_TENSOR_OEM_BYTE, {4}, 0.5f, 7), floats({2}), floats({2})});
  const char value[] = "of any length";
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 0, value, sizeof value), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, value, sizeof value), kData);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, value, 4), kOk);
  const std::vector<uint32_t> inputs =
      is_inner ? std::vector<uint32_t>{0, 2} : std::vector<uint32_t>{0, 1, 2};
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_OEM_OPERATION, inputs, {3}), kOk);
  EXPECT_EQ(identify(model, {2}, {3}), kOk);
  EXPECT_EQ(finish(model), kOk);
  return model;
}

TEST(Model, OperationsOfMakersFailInTheCompilation) {
  const Model model = model_of_maker(false);
  expect_that_nobody_runs_it(model);
}

TEST(Model, VendorOperationsFail) {
  const Model inner = model_of_maker(true);
  const Model model = model_with({Type(ANEURALNETWORKS_TENSOR_BOOL8, {1}), Type(ANEURALNETWORKS_MODEL),
                                  Type(ANEURALNETWORKS_MODEL), floats({2}), floats({2})});
  for (const int32_t branch : {1, 2})
    EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromModel(model.get(), branch, inner.get()), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_IF, {0, 1, 2, 3}, {4}), kOk);
  EXPECT_EQ(identify(model, {0, 3}, {4}), kOk);
  EXPECT_EQ(finish(model), kOk);
  expect_that_nobody_runs_it(model);
}

TEST(Model, TypesOfMakersAreNoOperandsOfOthers) {
  const Model model =
      model_with({Type(ANEURALNETWORKS_TENSOR_OEM_BYTE, {2}), floats({2}), Type(ANEURALNETWORKS_OEM_SCALAR)});
  EXPECT_EQ(add_operation(model, kAbs, {0}, {1}), kData);
  EXPECT_EQ(add_operation(model, kAbs, {1}, {0}), kData);
  EXPECT_EQ(add_operation(model, kAdd, {1, 1, 2}, {1}), kData);
  const float scales[] = {1, 2};
  const ANeuralNetworksSymmPerChannelQuantParams params{0, 2, scales};
  for (const int32_t operand : {0, 2})
    EXPECT_EQ(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model.get(), operand, &params), kData);
}

TEST(Model, FreeTakesNull) { ANeuralNetworksModel_free(nullptr); }

TEST(Model, KeepsReferencedModels) {
  std::vector<float> weights(64, 2);  // more than is copied immediately
  SharedFile file(64 * sizeof(float));
  for (size_t i = 0; i < 64; ++i) std::memcpy(file.data + 4 * i, &weights[i], 4);
  Model model =
      model_with({floats({64}), floats({64}), floats({64}), int_scalar(), floats({64}), floats({64})});
  const int32_t fuse = 0;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, weights.data(), 256), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValueFromMemory(model.get(), 2, file.get(), 0, 256), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 3, &fuse, 4), kOk);
  EXPECT_EQ(add_operation(model, kAdd, {0, 1, 3}, {4}), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_MUL, {4, 2, 3}, {5}), kOk);
  EXPECT_EQ(identify(model, {0}, {5}), kOk);
  EXPECT_EQ(finish(model), kOk);
  weights.assign(64, 0);
  file.memory.reset();
  const Compilation compilation = finished(open_compilation(model));
  model.reset();
  const Execution execution = execution_of(compilation);
  const std::vector<float> input(64, 1);
  std::vector<float> output(64);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, input.data(), 256), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, output.data(), 256), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  EXPECT_EQ(output, std::vector<float>(64, 6));
}

}  // namespace
}  // namespace nnapi_tests
