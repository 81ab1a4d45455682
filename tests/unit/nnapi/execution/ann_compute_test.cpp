// The checks of computing, its results, bursts.
#include "tests/unit/nnapi/nnapi_test_handles.h"

#include <atomic>
#include <cstdint>
#include <thread>

namespace nnapi_tests {
namespace {

Burst burst_of(const Compilation& compilation) {
  ANeuralNetworksBurst* burst = nullptr;
  EXPECT_EQ(ANeuralNetworksBurst_create(compilation.get(), &burst), kOk);
  return Burst(burst);
}

// The ways to compute.
int compute(ANeuralNetworksExecution* execution, const Compilation&) {
  return ANeuralNetworksExecution_compute(execution);
}
int compute_in_burst(ANeuralNetworksExecution* execution, const Compilation& compilation) {
  return ANeuralNetworksExecution_burstCompute(execution, burst_of(compilation).get());
}
int end_of(int started, ANeuralNetworksEvent* event) {
  const Event owned(event);
  EXPECT_EQ(event != nullptr, started == kOk);
  return started == kOk ? ANeuralNetworksEvent_wait(event) : started;
}
int start(ANeuralNetworksExecution* execution, const Compilation&) {
  ANeuralNetworksEvent* event = nullptr;
  const int started = ANeuralNetworksExecution_startCompute(execution, &event);
  return end_of(started, event);
}
int start_fenced(ANeuralNetworksExecution* execution, const Compilation&) {
  ANeuralNetworksEvent* event = nullptr;
  const int started = ANeuralNetworksExecution_startComputeWithDependencies(execution, nullptr, 0, 0, &event);
  return end_of(started, event);
}

using Way = int (*)(ANeuralNetworksExecution*, const Compilation&);
class Ways : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(All, Ways, testing::Values(compute, compute_in_burst, start, start_fenced));

TEST_P(Ways, Compute) {
  Ready ready;
  ready.bind();
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kOk);
  EXPECT_EQ(ready.out[0], 4);
  EXPECT_EQ(ready.out[1], 6);
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kState) << "not reusable";
}

TEST_P(Ways, WantAllArguments) {
  Ready ready;
  ready.bind_inputs();
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kData);
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kState) << "it has ended with an error";
  uint32_t rank = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(ready.get(), 0, &rank), kState);
}

TEST_P(Ways, ReuseExecutions) {
  Ready ready;
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(ready.get(), true), kOk);
  ready.bind();
  for (const float value : {1.0f, 5.0f, -2.0f}) {
    ready.a[0] = value;
    EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kOk);
    EXPECT_EQ(ready.out[0], value + 3);
  }
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 0, nullptr, ready.a, 8), kState);
}

TEST_P(Ways, ReportOperationFailure) {
  Ready ready;
  EXPECT_EQ(ANeuralNetworksExecution_setReusable(ready.get(), true), kOk);
  ready.fuse = 999;
  ready.bind();
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kFailed);
  uint32_t dimension = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(ready.get(), 0, &dimension), kState);
  ready.fuse = 0;
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kOk) << "what failed may succeed later";
}

TEST_P(Ways, ReadAndWriteMemories) {
  const Ready ready;
  const SharedFile file(64);
  const float a[2] = {1, 2}, b[2] = {10, 20};
  const int32_t fuse = 0;
  std::memcpy(file.data + 4, a, 8);
  std::memcpy(file.data + 32, b, 8);
  std::memcpy(file.data + 16, &fuse, 4);
  const auto set_input = [&](int32_t index, size_t offset, size_t length) {
    return ANeuralNetworksExecution_setInputFromMemory(ready.get(), index, nullptr, file.get(), offset,
                                                       length);
  };
  EXPECT_EQ(set_input(0, 4, 8), kOk);
  EXPECT_EQ(set_input(1, 32, 8), kOk);
  EXPECT_EQ(set_input(2, 16, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutputFromMemory(ready.get(), 0, nullptr, file.get(), 44, 8), kOk);
  EXPECT_EQ(GetParam()(ready.get(), ready.compilation), kOk);
  float out[2] = {};
  std::memcpy(out, file.data + 44, 8);
  EXPECT_EQ(out[0], 11);
  EXPECT_EQ(out[1], 22);
}

TEST(Compute, ChecksForNull) {
  const Ready ready;
  ANeuralNetworksEvent* event = nullptr;
  const Burst burst = burst_of(ready.compilation);
  EXPECT_EQ(ANeuralNetworksExecution_compute(nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(nullptr, &event), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(ready.get(), nullptr), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(nullptr, burst.get()), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(ready.get(), nullptr), kNull);
}

TEST(Compute, TakesTheBurstOfItsCompilation) {
  Ready ready, other;
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(ready.get(), burst_of(other.compilation).get()), kData);
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk) << "it has not started";
}

TEST(Compute, RunsOneAtATimeInABurst) {
  const Ready ready;
  const Burst burst = burst_of(ready.compilation);
  std::atomic<int> good = 0, busy = 0;
  const auto work = [&] {
    Ready own;
    own.execution = execution_of(ready.compilation);
    own.bind();
    const int code = ANeuralNetworksExecution_burstCompute(own.get(), burst.get());
    EXPECT_TRUE(code == kOk || code == kState);
    ++(code == kOk ? good : busy);
  };
  for (int round = 0; round < 50; ++round) {
    std::thread first(work), second(work);
    first.join();
    second.join();
  }
  EXPECT_GE(good, 50);
  EXPECT_EQ(good + busy, 100);
}

TEST(Compute, RunsOneAtATimeInAnExecution) {
  for (int round = 0; round < 50; ++round) {
    Ready ready;
    EXPECT_EQ(ANeuralNetworksExecution_setReusable(ready.get(), round % 2 == 0), kOk);
    ready.bind();
    int results[2] = {};
    std::thread other([&] { results[1] = ANeuralNetworksExecution_compute(ready.get()); });
    results[0] = ANeuralNetworksExecution_compute(ready.get());
    other.join();
    for (const int code : results) EXPECT_TRUE(code == kOk || code == kState) << code;
    EXPECT_TRUE(results[0] == kOk || results[1] == kOk);
  }
}

TEST(Compute, OverlapsExecutions) {
  const Ready ready;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 25; ++round) {
        Ready own;
        own.execution = execution_of(ready.compilation);
        own.a[0] = static_cast<float>(i * 100 + round);
        own.bind();
        EXPECT_EQ(start(own.get(), own.compilation), kOk);
        EXPECT_EQ(own.out[0], own.a[0] + 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Compute, FreeWaitsForComputation) {
  for (int round = 0; round < 20; ++round) {
    Ready ready;
    ready.bind();
    ANeuralNetworksEvent* event = nullptr;
    ASSERT_EQ(ANeuralNetworksExecution_startCompute(ready.get(), &event), kOk);
    const Event owned(event);
    ready.execution.reset();
    EXPECT_EQ(ready.out[0], 4);
  }
}

TEST(Compute, SurvivesFreedObjects) {
  Ready ready;
  const Burst burst = burst_of(ready.compilation);
  const float a[2] = {1, 2};
  {
    const SharedFile file(8);
    std::memcpy(file.data, a, 8);
    EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(ready.get(), 0, nullptr, file.get(), 0, 8), kOk);
  }
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, nullptr, ready.b, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, ready.out, 8), kOk);
  ready.model.reset();
  ready.compilation.reset();
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(ready.get(), burst.get()), kOk);
  EXPECT_EQ(ready.out[1], 6);
}

TEST(Compute, DetectsTruncatedFiles) {
  Ready ready;
  const SharedFile file(8);
  EXPECT_EQ(ANeuralNetworksExecution_setInputFromMemory(ready.get(), 0, nullptr, file.get(), 0, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, nullptr, ready.b, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, ready.out, 8), kOk);
  ASSERT_EQ(ftruncate(file.fd, 0), 0);
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kFailed);
}

TEST(Results, ChecksForNullStateAndIndex) {
  Ready ready;
  uint32_t value[4] = {};
  for (const auto ask :
       {ANeuralNetworksExecution_getOutputOperandRank, ANeuralNetworksExecution_getOutputOperandDimensions}) {
    EXPECT_EQ(ask(nullptr, 0, value), kNull);
    EXPECT_EQ(ask(ready.get(), 0, nullptr), kNull);
    EXPECT_EQ(ask(ready.get(), 0, value), kState);
  }
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  for (const auto ask :
       {ANeuralNetworksExecution_getOutputOperandRank, ANeuralNetworksExecution_getOutputOperandDimensions}) {
    for (const int32_t index : {-1, 999}) EXPECT_EQ(ask(ready.get(), index, value), kData);
    EXPECT_EQ(ask(ready.get(), 0, value), kOk);
  }
}

TEST(Results, ReportRequiredShape) {
  Ready ready(false, floats({0}));
  float a[3] = {1, 2, 3}, room[2] = {};
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 0, floats({3}), a, 12), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, floats({3}), a, 12), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, room, 8), kOk);
  EXPECT_EQ(start(ready.get(), ready.compilation), kSmall);
  uint32_t rank = 0, dimension = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(ready.get(), 0, &rank), kSmall);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(ready.get(), 0, &dimension), kSmall);
  EXPECT_EQ(rank, 1u);
  EXPECT_EQ(dimension, 3u);
}

TEST(Results, StayWithinData) {
  Ready ready(false, floats({0}));
  float a[2] = {1, 2}, room[4] = {7, 7, 7, 7};
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 0, floats({2}), a, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 1, floats({2}), a, 8), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(ready.get(), 2, nullptr, &ready.fuse, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(ready.get(), 0, nullptr, room, 16), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  EXPECT_EQ(room[1], 4);
  EXPECT_EQ(room[2], 7);
}

TEST(Results, OfAScalarHaveNoDimensions) {
  const Model model = new_model();
  EXPECT_EQ(add_operand(model, floats({2, 3})), kOk);
  EXPECT_EQ(add_operand(model, int_scalar()), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_RANK, {0}, {1}), kOk);
  EXPECT_EQ(identify(model, {0}, {1}), kOk);
  EXPECT_EQ(finish(model), kOk);
  const Execution execution = execution_of(finished(open_compilation(model)));
  const float input[6] = {};
  int32_t output = 0;
  uint32_t rank = 9, dimensions[1] = {};
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, input, 24), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, &output, 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  EXPECT_EQ(output, 2);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandRank(execution.get(), 0, &rank), kOk);
  EXPECT_EQ(rank, 0u);
  EXPECT_EQ(ANeuralNetworksExecution_getOutputOperandDimensions(execution.get(), 0, dimensions), kData);
}

TEST(Results, OfTooLargeASizeAreAnError) {
  const Model model = new_model();
  for (const Type& type :
       {floats({65536, 1}), floats({65536, 1}), floats({65536}), int_scalar(), floats({0, 0})})
    EXPECT_EQ(add_operand(model, type), kOk);
  const std::vector<float> zeros(65536);
  const int32_t fuse = 0;
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 1, zeros.data(), 65536 * 4), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 2, zeros.data(), 65536 * 4), kOk);
  EXPECT_EQ(ANeuralNetworksModel_setOperandValue(model.get(), 3, &fuse, 4), kOk);
  EXPECT_EQ(add_operation(model, ANEURALNETWORKS_FULLY_CONNECTED, {0, 1, 2, 3}, {4}), kOk);
  EXPECT_EQ(identify(model, {0}, {4}), kOk);
  EXPECT_EQ(finish(model), kOk);
  const Compilation compilation = open_compilation(model);
  if (ANeuralNetworksCompilation_finish(compilation.get()) != kOk) return;
  const Execution execution = execution_of(compilation);
  float room[4] = {};
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, zeros.data(), 65536 * 4), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, room, 16), kOk);
  EXPECT_NE(ANeuralNetworksExecution_compute(execution.get()), kOk);
}

TEST(Durations, AreTold) {
  Ready ready(true);
  EXPECT_EQ(ANeuralNetworksExecution_setMeasureTiming(ready.get(), true), kOk);
  uint64_t duration = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(nullptr, 0, &duration), kNull);
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(ready.get(), 0, nullptr), kNull);
  for (const int32_t code : {-1, 4})
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(ready.get(), code, &duration), kData);
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(ready.get(), 0, &duration), kState);
  EXPECT_EQ(duration, UINT64_MAX);
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  uint64_t durations[4] = {};
  for (int32_t code = 0; code < 4; ++code)
    EXPECT_EQ(ANeuralNetworksExecution_getDuration(ready.get(), code, &durations[code]), kOk);
  EXPECT_LE(durations[0], durations[1]);
  EXPECT_LE(durations[2], durations[3]);
}

TEST(Durations, AreNotToldUnlessTheyAreWanted) {
  Ready ready(true);
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
  uint64_t duration = 0;
  EXPECT_EQ(ANeuralNetworksExecution_getDuration(ready.get(), 0, &duration), kState);
  EXPECT_EQ(duration, UINT64_MAX);
}

TEST(Durations, LongTimeoutsDoNotOverflow) {
  Ready ready(true);
  EXPECT_EQ(ANeuralNetworksExecution_setTimeout(ready.get(), UINT64_MAX), kOk);
  ready.bind();
  EXPECT_EQ(ANeuralNetworksExecution_compute(ready.get()), kOk);
}

TEST(Burst, FreeTakesNull) { ANeuralNetworksBurst_free(nullptr); }

}  // namespace
}  // namespace nnapi_tests
