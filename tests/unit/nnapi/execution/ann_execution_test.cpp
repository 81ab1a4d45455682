// The checks of "Execution": arguments and settings.
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <cstdint>

namespace nnapi_tests {
namespace {

// Inputs and outputs are set by functions of the same shape.
struct Setter {
  bool is_input;

  int operator()(ANeuralNetworksExecution* execution, int32_t index, const ANeuralNetworksOperandType* type,
                 void* buffer, size_t length) const {
    return is_input ? ANeuralNetworksExecution_setInput(execution, index, type, buffer, length)
                    : ANeuralNetworksExecution_setOutput(execution, index, type, buffer, length);
  }
  int operator()(ANeuralNetworksExecution* execution, int32_t index, const ANeuralNetworksOperandType* type,
                 ANeuralNetworksMemory* memory, size_t offset, size_t length) const {
    return is_input
               ? ANeuralNetworksExecution_setInputFromMemory(execution, index, type, memory, offset, length)
               : ANeuralNetworksExecution_setOutputFromMemory(execution, index, type, memory, offset, length);
  }
};

class Arguments : public testing::TestWithParam<bool> {
 protected:
  const Setter set_{GetParam()};
  const uint32_t dimension_ = 2;
  const ANeuralNetworksOperandType no_dimensions_{ANEURALNETWORKS_TENSOR_FLOAT32, 1, nullptr, 0, 0};
  const ANeuralNetworksOperandType no_count_{ANEURALNETWORKS_TENSOR_FLOAT32, 0, &dimension_, 0, 0};
};
INSTANTIATE_TEST_SUITE_P(Both, Arguments, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "Inputs" : "Outputs"; });

TEST_P(Arguments, FromPointers) {
  const Ready ready;
  float buffer[5] = {};
  EXPECT_EQ(set_(nullptr, 0, nullptr, buffer, 8), kNull);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, nullptr, 4), kNull);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 20), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 4), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 0), kData);
  EXPECT_EQ(set_(ready.get(), 999, nullptr, buffer, 8), kData);
  EXPECT_EQ(set_(ready.get(), -1, nullptr, buffer, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, &no_dimensions_, buffer, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, &no_count_, buffer, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, floats({3}), buffer, 12), kData) << "another dimension";
  EXPECT_EQ(set_(ready.get(), 0, floats({2, 1}), buffer, 8), kData) << "another rank";
  EXPECT_EQ(set_(ready.get(), 0, floats({65536, 65536}), buffer, 8), kData) << "it is too large";
  EXPECT_EQ(set_(ready.get(), 0, floats({2}), buffer, 8), kOk);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 8), kState) << "a second time";
}

TEST_P(Arguments, FromMemories) {
  const Ready ready;
  const SharedFile file(20);
  float buffer[2] = {};
  EXPECT_EQ(set_(nullptr, 0, nullptr, file.get(), 0, 8), kNull);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, nullptr, 0, 8), kNull);
  EXPECT_EQ(set_(ready.get(), 999, nullptr, file.get(), 0, 8), kData);
  EXPECT_EQ(set_(ready.get(), -1, nullptr, file.get(), 0, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, file.get(), 0, 20), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, file.get(), 21, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, file.get(), 17, 4), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, file.get(), 0, 0), kData) << "the whole memory is too large";
  EXPECT_EQ(set_(ready.get(), 0, &no_dimensions_, file.get(), 0, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, &no_count_, file.get(), 0, 8), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, file.get(), 12, 8), kOk);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, file.get(), 0, 8), kState);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 8), kState);
}

TEST_P(Arguments, TakeAWholeMemory) {
  const Ready ready;
  EXPECT_EQ(set_(ready.get(), 0, nullptr, SharedFile(8).get(), 0, 0), kOk);
}

TEST_P(Arguments, MustBePermittedByTheMemory) {
  const Ready ready;
  const SharedFile file(8);
  const Memory memory = file.part(8, 0, GetParam() ? PROT_WRITE : PROT_READ);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, memory.get(), 0, 8), kUnmappable);
}

TEST_P(Arguments, MayBeLongerWithPadding) {
  const Ready ready;
  float buffer[5] = {};
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(ready.get(), true), kOk);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 3), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, SharedFile(8).get(), 0, 3), kData);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 20), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(ready.get(), true), kState);
}

TEST_P(Arguments, ForbidPaddingOnceOneIsSet) {
  const Ready a, b;
  float buffer[2] = {};
  EXPECT_EQ(set_(a.get(), 0, nullptr, buffer, 8), kOk);
  EXPECT_EQ(set_(b.get(), 0, nullptr, SharedFile(8).get(), 0, 8), kOk);
  for (const Ready* const ready : {&a, &b})
    EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(ready->get(), true), kState);
}

TEST_P(Arguments, CannotBeSetAfterTheStart) {
  Ready ready;
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, ready.a, 8), kState);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, SharedFile(8).get(), 0, 8), kState);
}

TEST_P(Arguments, OfUnknownDimensions) {
  const Ready ready(false, floats({0}));
  float buffer[3] = {};
  const bool is_input = GetParam();
  EXPECT_EQ(set_(ready.get(), 0, floats({0}), buffer, 12), is_input ? kData : kOk);
  EXPECT_EQ(set_(ready.get(), 0, nullptr, buffer, 12), is_input ? kData : kState);
  EXPECT_EQ(set_(ready.get(), 0, floats({3}), buffer, 12), is_input ? kOk : kState);
}

TEST(Execution, AcceptsAnyRankIfUnspecified) {
  const Ready ready(false, floats({}));
  float buffer[6] = {};
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 0, floats({2, 3}), buffer, 24), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, floats({6}), buffer, 24), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, buffer, 24), kOk);
}

TEST(Execution, OmitsWithNullAndZero) {
  const Ready ready;
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 0, nullptr, nullptr, 0), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, nullptr, 0), kOk);
}

TEST(Execution, SettingsCheckTheirState) {
  Ready ready;
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(nullptr, true), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(nullptr, true), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(nullptr, 1), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(nullptr, 1), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(nullptr, true), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(ready.get(), UINT64_MAX), kOk) << "taken for the longest";
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(ready.get(), 1), kData);
  for (const bool measure : {true, false})
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(ready.get(), measure), kData);
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_enableInputAndOutputPadding(ready.get(), true), kState);
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(ready.get(), true), kState);
  EXPECT_EQ(ANeuralNetworksExecution_setLoopTimeout(ready.get(), 1), kState);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(ready.get(), 1), kData);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(ready.get(), true), kData);
}

TEST(Execution, SettingsOfOneDeviceCheckTheirState) {
  Ready ready(true);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(ready.get(), UINT64_MAX), kOk);
  for (const bool measure : {true, false})
    EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(ready.get(), measure), kOk);
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(ready.get(), 1), kState);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(ready.get(), true), kState);
}

TEST(Execution, FreeTakesNull) { ANeuralNetworksExecution_free(nullptr); }

}  // namespace
}  // namespace nnapi_tests
