// Drivers in separate processes, through the C API: a crash affects no other process. Each library has its
// own host; the "Fatal" devices come from tests/support/fatal_plugin.
#include "tests/host/host_processes.h"
#include "tests/support/process_resources.h"
#include "tests/unit/api/compilation/cache_fixture.h"
#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/plugin/use_device.h"

#include <algorithm>
#include <thread>

using namespace api_tests;

namespace {

constexpr const char* kDeviceActions[] = {
    "Aborts",           "Exits", "Kills itself", "Writes everywhere", "Closes all files", "Empties all files",
    "Writes to sockets"};
// Actions that the process may survive long enough to answer.
bool may_succeed(const std::string& action) {
  return action == "Empties all files" || action == "Closes all files" || action == "Writes to sockets";
}

size_t fatal(const std::string& action, const std::string& method) {
  return device_by_name(action + " in " + method + "_Fatal_v2_1");
}

// Memory released late may crash the host during the first use, so try twice.
bool works(size_t device) { return use(device) == OH_NN_SUCCESS || use(device) == OH_NN_SUCCESS; }

class HostedPlugins : public testing::Test {
 protected:
  ~HostedPlugins() override {
    // All other devices must work, whatever happened.
    EXPECT_TRUE(works(device_by_name("Harmless_Fatal_v2_1")));
    EXPECT_EQ(use(device_by_name("ExampleNPU_NNRt_v2_1")), OH_NN_SUCCESS);
    EXPECT_EQ(use(0), OH_NN_SUCCESS);
    EXPECT_LE(hosts().size(), 2u);
  }
};

TEST_F(HostedPlugins, HaveAProcessForEachLibrary) {
  const std::vector<std::string> names = device_names();
  EXPECT_GT(names.size(), 50u);
  EXPECT_EQ(hosts().size(), 2u) << "that of the library that cannot be loaded has ended";
  OH_NN_DeviceType type = OH_NN_OTHERS;
  EXPECT_EQ(OH_NNDevice_GetType(device_by_name("ExampleNPU_NNRt_v2_1"), &type), OH_NN_SUCCESS);
  EXPECT_EQ(type, OH_NN_ACCELERATOR);
}

TEST_F(HostedPlugins, TakeModelsOfTheirOwnFormat) {
  const char bytes[] = "a vendor's model";
  const Compilation compilation(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes, sizeof bytes));
  ASSERT_EQ(OH_NNCompilation_SetDevice(compilation.get(), device_by_name("Harmless_Fatal_v2_1")),
            OH_NN_SUCCESS);
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Executor executor(OH_NNExecutor_Construct(compilation.get()));
  const Tensor x = tensor_of({2, 3}), y = tensor_of({2, 3}), large = tensor_of({101, 3});
  ASSERT_EQ(run(executor.get(), {x.get()}, {y.get()}), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(y, 6), std::vector<float>(6, 1));
  EXPECT_EQ(run(executor.get(), {large.get()}, {y.get()}), OH_NN_INVALID_PARAMETER);
  size_t *smallest = nullptr, *largest = nullptr, length = 0;
  ASSERT_EQ(OH_NNExecutor_GetInputDimRange(executor.get(), 0, &smallest, &largest, &length), OH_NN_SUCCESS);
  EXPECT_EQ((std::vector<size_t>{largest, largest + length}), (std::vector<size_t>{100, 3}));
}

TEST_F(HostedPlugins, ExitIsContained) {
  for (const std::string action : kDeviceActions) {
    for (const std::string method : {"GetSupportedOperation", "PrepareModel", "AllocateBuffer", "Run"}) {
      SCOPED_TRACE(action + " in " + method);
      const OH_NN_ReturnCode code = use(fatal(action, method));
      if (method == "AllocateBuffer") {
        EXPECT_TRUE(code == OH_NN_NULL_PTR || (may_succeed(action) && code == OH_NN_SUCCESS)) << code;
      } else {
        EXPECT_TRUE(code == OH_NN_UNAVAILABLE_DEVICE || (may_succeed(action) && code == OH_NN_SUCCESS))
            << code;
      }
      EXPECT_EQ(use(device_by_name("Harmless_Fatal_v2_1")), OH_NN_SUCCESS) << "of the same library";
    }
  }
}

// Memory is released during Build, and later by notices that nobody waits for: if one crashes the host while
// a tensor is created, there is no tensor.
TEST_F(HostedPlugins, ExitWhileReleasingMemoryIsContained) {
  for (const std::string action : kDeviceActions) {
    SCOPED_TRACE(action);
    const OH_NN_ReturnCode code = use(fatal(action, "ReleaseBuffer"));
    EXPECT_TRUE(code == OH_NN_UNAVAILABLE_DEVICE || code == OH_NN_SUCCESS || code == OH_NN_NULL_PTR) << code;
  }
}

TEST_F(HostedPlugins, CrashesInCacheCallsCostOnlyTheCache) {
  for (const std::string action : {"Aborts", "Exits", "Writes everywhere"}) {
    SCOPED_TRACE(action);
    const TemporaryDirectory directory;
    EXPECT_NE(use(fatal(action, "ExportModelCache"), directory.path()), OH_NN_SUCCESS);
    EXPECT_EQ(directory.files(), 0u);
    for (int time = 0; time < 2; ++time)
      EXPECT_EQ(use(fatal(action, "PrepareModelFromModelCache"), directory.path()), OH_NN_SUCCESS);
  }
}

TEST_F(HostedPlugins, AbortIsReportedToClient) {
  RunLog log;
  const NotedRun noted{log, 0};
  const Compilation compilation = compilation_on(fatal("Aborts", "Run"), finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  const Executor executor = async_executor_of(compilation);
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  void* const user_data = const_cast<NotedRun*>(&noted);
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, user_data), OH_NN_SUCCESS);
  using Entries = std::vector<RunLog::Entry>;
  EXPECT_EQ(log.wait_for(2), (Entries{{0, OH_NN_SUCCESS, true}, {0, OH_NN_UNAVAILABLE_DEVICE}}));
  EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_UNAVAILABLE_DEVICE);
}

TEST_F(HostedPlugins, HangInRunTimesOut) {
  RunLog log;
  const NotedRun noted{log, 0};
  const Compilation compilation = compilation_on(fatal("Hangs", "Run"), finished_model({2}));
  ASSERT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  Executor executor = async_executor_of(compilation);
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  void* const user_data = const_cast<NotedRun*>(&noted);
  for (size_t count = 1; count <= 3; ++count) {
    ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, user_data, 30), OH_NN_SUCCESS);
    ASSERT_EQ(log.wait_for(count).size(), count);
    EXPECT_EQ(log.entries().back(), (RunLog::Entry{0, OH_NN_TIMEOUT}));
  }
  executor.reset();
  EXPECT_EQ(use(device_by_name("Harmless_Fatal_v2_1")), OH_NN_SUCCESS) << "in the process of what hangs";
}

// Build has no time limit; killing the host ends it.
TEST_F(HostedPlugins, HangInBuildEndsWithHost) {
  for (const char* method : {"GetSupportedOperation", "PrepareModel"}) {
    std::atomic<bool> finished = false;
    std::thread impatient([&] {
      while (!finished) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        kill_hosts();
      }
    });
    EXPECT_EQ(use(fatal("Hangs", method)), OH_NN_UNAVAILABLE_DEVICE) << method;
    finished = true;
    impatient.join();
  }
}

TEST_F(HostedPlugins, LeaveNothingBehind) {
  const auto one_turn = [] {
    for (const char* method : {"Run", "PrepareModel"}) use(fatal("Aborts", method));
    kill_hosts();
    use(device_by_name("ExampleNPU_NNRt_v2_1"));
    use(device_by_name("Harmless_Fatal_v2_1"));
  };
  one_turn();
  const Held before = held();
  for (int i = 0; i < 10; ++i) one_turn();
  expect_no_more(held(), before, 64 << 10);
}

}  // namespace
