// Clients of a device that is lost or out of memory.
#include "tests/faults/fault_scenario.h"
#include "tests/support/fault_layer/fault_layer.h"
#include "tests/support/temporary_folder.h"

#include <stdlib.h>

#include <atomic>
#include <deque>
#include <filesystem>
#include <string_view>
#include <thread>

using namespace api_tests;

namespace nnrt::test {
namespace {

using Entries = std::vector<RunLog::Entry>;

// y = relu(a + b) on the GPU only.
Compilation small_compilation(size_t device, std::string_view fallback = "on") {
  Compilation compilation(OH_NNCompilation_Construct(finished_model({7}).get()));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_AddExtensionConfig(compilation.get(), "nnrt.fallback", fallback.data(),
                                                fallback.size()),
            OH_NN_SUCCESS);
  return compilation;
}

class Loss : public testing::Test {
 protected:
  // Disables fusion, because the small model would then need no memory that can run out.
  Loss() {
    fault::reset();
    setenv("NNRT_TEST_FUSE", "off", 1);
  }
  ~Loss() override {
    fault::reset();
    unsetenv("NNRT_TEST_FUSE");
  }

  Compilation built() const {
    Compilation compilation = small_compilation(gpu_);
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
    return compilation;
  }
  Executor executor() const { return async_executor_of(built()); }
  OH_NN_ReturnCode run(const Executor& executor) const {
    const Tensor y = tensor_of({7});
    const OH_NN_ReturnCode code = api_tests::run(executor.get(), {a_.get(), a_.get()}, {y.get()});
    const std::vector<float> expected{2, 0, 4, 0, 6, 0, 8};
    EXPECT_TRUE(code != OH_NN_SUCCESS || values_of(y, 7) == expected);
    return code;
  }

  const size_t gpu_ = device_of(OH_NN_GPU);
  const Tensor a_ = tensor_of({7}, {1, -1, 2, -2, 3, -3, 4});
};

TEST_F(Loss, InvalidatesModelsUntilRebuild) {
  const Compilation old = built();
  const Executor first(OH_NNExecutor_Construct(old.get()));
  ASSERT_EQ(run(first), OH_NN_SUCCESS);
  fault::lose_devices();
  EXPECT_EQ(run(first), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(run(executor()), OH_NN_SUCCESS);
  EXPECT_EQ(run(first), OH_NN_UNAVAILABLE_DEVICE);
  const Executor second(OH_NNExecutor_Construct(old.get()));
  EXPECT_EQ(run(second), OH_NN_UNAVAILABLE_DEVICE);
}

TEST_F(Loss, OfUnusedDeviceIsHarmless) {
  { const Compilation unused = built(); }
  const int64_t devices = fault::live().at("Device");
  fault::lose_devices();
  static_cast<void>(run(executor()));  // detects the loss
  EXPECT_EQ(run(executor()), OH_NN_SUCCESS);
  EXPECT_EQ(fault::live().at("Device"), devices);
}

TEST_F(Loss, FailsBuildUntilTheDriverRecovers) {
  const Executor old = executor();
  fault::lose_devices();
  EXPECT_EQ(run(old), OH_NN_UNAVAILABLE_DEVICE);
  fault::fail_every("vkCreateDevice", VK_ERROR_INITIALIZATION_FAILED);
  for (int i = 0; i < 2; ++i) {
    const Compilation compilation = small_compilation(gpu_);
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_UNAVAILABLE_DEVICE);
  }
  fault::reset();
  EXPECT_EQ(run(executor()), OH_NN_SUCCESS);
}

TEST_F(Loss, KeepsDeviceInfoAndCpu) {
  const Executor old = executor();
  fault::lose_devices();
  EXPECT_EQ(run(old), OH_NN_UNAVAILABLE_DEVICE);
  fault::fail_every("vkCreateDevice", VK_ERROR_INITIALIZATION_FAILED);
  const char* name = nullptr;
  EXPECT_EQ(OH_NNDevice_GetName(gpu_, &name), OH_NN_SUCCESS);
  OH_NN_DeviceType type = OH_NN_OTHERS;
  EXPECT_EQ(OH_NNDevice_GetType(gpu_, &type), OH_NN_SUCCESS);
  const bool* supported = nullptr;
  uint32_t count = 0;
  const Model model = finished_model({7});
  EXPECT_EQ(OH_NNModel_GetAvailableOperations(model.get(), gpu_, &supported, &count), OH_NN_SUCCESS);
  for (const Step& step : play(device_of(OH_NN_CPU))) EXPECT_EQ(step.code, OH_NN_SUCCESS) << step.name;
}

TEST_F(Loss, NotifiesPendingRuns) {
  RunLog log;
  std::deque<NotedRun> runs;
  const Tensor y = tensor_of({7});
  Gate gate;
  Executor executor = this->executor();
  for (int i = 0; i < 4; ++i) {
    NotedRun& noted = runs.emplace_back(NotedRun{log, i});
    if (i == 0) noted.during_callback = [&](NN_Tensor*) { EXPECT_TRUE(gate.pass()); };
    ASSERT_EQ(run_async(executor.get(), {a_.get(), a_.get()}, {y.get()}, &noted), OH_NN_SUCCESS);
  }
  fault::lose_devices();
  gate.open();
  const Entries entries = log.wait_for(7);
  // The first run may have finished before the loss.
  Entries expected{{0, entries.at(0).code, entries.at(0).died}};
  if (entries.at(0).died) expected.push_back({0, OH_NN_UNAVAILABLE_DEVICE});
  for (int i = 1; i < 4; ++i) {
    expected.push_back({i, OH_NN_SUCCESS, true});
    expected.push_back({i, OH_NN_UNAVAILABLE_DEVICE});
  }
  executor.reset();
  EXPECT_EQ(log.entries(), expected);
}

TEST_F(Loss, EndsConcurrentRuns) {
  constexpr int kThreads = 4;
  std::vector<Executor> executors;
  const Compilation compilation = built();
  for (int i = 0; i < kThreads; ++i) executors.push_back(async_executor_of(compilation));
  std::atomic<int> ended = 0, rounds = 0;
  std::vector<std::thread> threads;
  for (const Executor& executor : executors) {
    threads.emplace_back([&] {
      OH_NN_ReturnCode code = OH_NN_SUCCESS;
      while (code == OH_NN_SUCCESS) {
        code = run(executor);
        ++rounds;
      }
      if (code == OH_NN_UNAVAILABLE_DEVICE) ++ended;
    });
  }
  while (rounds < 50) std::this_thread::yield();
  fault::lose_devices();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, kThreads);
  EXPECT_EQ(run(executor()), OH_NN_SUCCESS);
}

TEST_F(Loss, OfMemoryLeavesTheRunToTheCpu) {
  const Executor ready = executor();
  fault::fail_every("vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY);
  EXPECT_EQ(run(ready), OH_NN_SUCCESS);
  EXPECT_EQ(run(executor()), OH_NN_SUCCESS);
  for (const Step& step : play(gpu_)) EXPECT_EQ(step.code, OH_NN_SUCCESS) << step.name;
}

// y = x w with more than a megabyte of weights, which are kept only once, so no fallback is possible.
Executor large_executor(size_t device) {
  constexpr int32_t kSize = 600;
  const Model model(OH_NNModel_Construct());
  const std::vector<std::vector<int32_t>> shapes{{1, kSize}, {kSize, kSize}, {1, kSize}};
  for (const std::vector<int32_t>& shape : shapes)
    EXPECT_EQ(OH_NNModel_AddTensorToModel(model.get(), desc_of(shape).get()), OH_NN_SUCCESS);
  const std::vector<float> weights(size_t{kSize} * kSize, 0.5f);
  EXPECT_EQ(OH_NNModel_SetTensorData(model.get(), 1, weights.data(), weights.size() * sizeof(float)),
            OH_NN_SUCCESS);
  const Indices none{}, x{0}, x_w{0, 1}, y{2};
  EXPECT_EQ(OH_NNModel_AddOperation(model.get(), OH_NN_OPS_MATMUL, &none, &x_w, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_SpecifyInputsAndOutputs(model.get(), &x, &y), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNModel_Finish(model.get()), OH_NN_SUCCESS);
  const Compilation compilation(OH_NNCompilation_Construct(model.get()));
  EXPECT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return Executor(OH_NNExecutor_Construct(compilation.get()));
}

TEST_F(Loss, RecoversFromTransientOutOfMemory) {
  const Tensor x = tensor_of({1, 600}, std::vector<float>(600, 1)), y = tensor_of({1, 600});
  const auto run_new = [&](size_t failing, bool fails) {
    const Executor executor = large_executor(gpu_);
    fault::reset();
    if (fails) fault::fail_call(failing, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    EXPECT_EQ(api_tests::run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS) << failing;
    EXPECT_EQ(values_of(y, 600), std::vector<float>(600, 300)) << failing;
    const size_t calls = fault::calls().size();
    fault::reset();
    return calls;
  };
  const size_t calls = run_new(0, false);
  EXPECT_GT(calls, 2u);
  for (size_t call = 0; call < calls; ++call) run_new(call, true);
}

TEST_F(Loss, OfMemoryIsNotCached) {
  const test::TemporaryFolder directory;
  for (const bool is_short : {true, false}) {
    fault::reset();
    if (is_short) fault::fail_every("vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY);
    const Compilation compilation = small_compilation(gpu_);
    EXPECT_EQ(OH_NNCompilation_SetCache(compilation.get(), directory.path().c_str(), 1), OH_NN_SUCCESS);
    EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
    EXPECT_EQ(std::filesystem::is_empty(directory.path()), is_short);
  }
}

TEST_F(Loss, ReportsOutOfMemoryWithoutFallback) {
  const Compilation compilation = small_compilation(gpu_, "off");
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Executor ready(OH_NNExecutor_Construct(compilation.get()));
  fault::fail_every("vkAllocateMemory", VK_ERROR_OUT_OF_DEVICE_MEMORY);
  const Compilation refused = small_compilation(gpu_, "off");
  EXPECT_EQ(OH_NNCompilation_Build(refused.get()), OH_NN_MEMORY_ERROR);
  const Tensor a = tensor_of({7}), y = tensor_of({7});
  EXPECT_EQ(api_tests::run(ready.get(), {a.get(), a.get()}, {y.get()}), OH_NN_MEMORY_ERROR);
  fault::reset();
  EXPECT_EQ(api_tests::run(ready.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS);
}

}  // namespace
}  // namespace nnrt::test
