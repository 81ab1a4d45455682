#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/scripted/scripted_device.h"

#include <atomic>
#include <deque>
#include <thread>

using namespace api_tests;

namespace {

using Entries = std::vector<RunLog::Entry>;

// Recorded runs of y = relu(a + b); the script ends when it is destroyed.
class ScriptedRuns : public testing::Test {
 protected:
  ~ScriptedRuns() override {
    executor.reset();
    nnrt::test::set_script(nullptr);
  }
  OH_NN_ReturnCode start(int32_t timeout = 0) {
    NotedRun& run = runs.emplace_back(NotedRun{log, static_cast<int>(runs.size())});
    return run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &run, timeout);
  }
  OH_NN_ReturnCode run_now() { return run(executor.get(), {a.get(), a.get()}, {y.get()}); }

  RunLog log;
  std::deque<NotedRun> runs;
  Gate gate;
  Tensor a = tensor_of({2}), y = tensor_of({2});
  Executor executor = async_executor_of({2});
};

nnrt::Status lost() { return nnrt::Error{nnrt::Code::unavailable_device, "The device is lost."}; }

}  // namespace

TEST_F(ScriptedRuns, DeviceLossNotifiesPendingRuns) {
  nnrt::test::set_script([&](nnrt::Deadline) { return gate.pass() ? lost() : nnrt::Status(); });
  for (int i = 0; i < 3; ++i) ASSERT_EQ(start(), OH_NN_SUCCESS);
  gate.open();
  Entries expected;
  for (int i = 0; i < 3; ++i) {
    expected.push_back({i, OH_NN_SUCCESS, true});
    expected.push_back({i, OH_NN_UNAVAILABLE_DEVICE});
  }
  EXPECT_EQ(log.wait_for(6), expected);
}

TEST_F(ScriptedRuns, DeviceLossDisablesExecutor) {
  int attempts = 0;
  nnrt::test::set_script([&](nnrt::Deadline) { return ++attempts == 1 ? lost() : nnrt::Status(); });
  EXPECT_EQ(run_now(), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(run_now(), OH_NN_UNAVAILABLE_DEVICE);
  EXPECT_EQ(start(), OH_NN_UNAVAILABLE_DEVICE);
  executor.reset();
  EXPECT_EQ(attempts, 1);
  EXPECT_TRUE(log.entries().empty()) << "what RunAsync itself refuses has no callback";
}

TEST_F(ScriptedRuns, DeviceLossNeedsNoCallback) {
  executor = executor_of({2});
  ASSERT_EQ(OH_NNExecutor_SetOnRunDone(executor.get(), note_done), OH_NN_SUCCESS);
  nnrt::test::set_script([](nnrt::Deadline) { return lost(); });
  ASSERT_EQ(start(), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(1), (Entries{{0, OH_NN_UNAVAILABLE_DEVICE}}));
}

TEST_F(ScriptedRuns, RunsAgainAfterFailure) {
  int attempts = 0;
  nnrt::test::set_script([&](nnrt::Deadline) -> nnrt::Status {
    if (++attempts == 1) return nnrt::Error{nnrt::Code::memory, "Out of memory."};
    return {};
  });
  ASSERT_EQ(start(), OH_NN_SUCCESS);
  ASSERT_EQ(start(), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(2), (Entries{{0, OH_NN_MEMORY_ERROR}, {1, OH_NN_SUCCESS}}));
}

TEST_F(ScriptedRuns, TheDeviceGetsTheDeadlineOfTheCall) {
  nnrt::Deadline seen;
  nnrt::test::set_script([&](nnrt::Deadline deadline) {
    seen = deadline;
    return nnrt::Status();
  });
  const auto before = nnrt::Clock::now();
  ASSERT_EQ(start(60000), OH_NN_SUCCESS);
  const auto after = nnrt::Clock::now();
  ASSERT_EQ(log.wait_for(1), (Entries{{0, OH_NN_SUCCESS}}));
  ASSERT_TRUE(seen.has_value());
  EXPECT_GE(*seen, before + std::chrono::minutes(1));
  EXPECT_LE(*seen, after + std::chrono::minutes(1));
}

TEST_F(ScriptedRuns, LateRunTimesOut) {
  nnrt::test::set_script([](nnrt::Deadline deadline) {
    if (deadline) std::this_thread::sleep_until(*deadline);
    return nnrt::Status();
  });
  ASSERT_EQ(start(20), OH_NN_SUCCESS);
  ASSERT_EQ(start(), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(2), (Entries{{0, OH_NN_TIMEOUT}, {1, OH_NN_SUCCESS}}));
}

TEST_F(ScriptedRuns, RunsOfOneExecutorNeverOverlap) {
  std::atomic<int> inside = 0, overlaps = 0;
  nnrt::test::set_script([&](nnrt::Deadline) {
    if (++inside != 1) ++overlaps;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --inside;
    return nnrt::Status();
  });
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(start(), OH_NN_SUCCESS);
    ASSERT_EQ(run_now(), OH_NN_SUCCESS);
  }
  EXPECT_EQ(log.wait_for(10).size(), 10u);
  EXPECT_EQ(overlaps, 0);
}
