// Runs of several executors that compete for a device that accepts one at a time.
#include "tests/unit/api/execution/async_callbacks.h"
#include "tests/unit/api/scripted/scripted_device.h"

#include <atomic>
#include <deque>
#include <thread>

using namespace api_tests;

namespace {

using Entries = std::vector<RunLog::Entry>;

Executor executor_with(OH_NN_Priority priority) {
  const Compilation compilation(OH_NNCompilation_Construct(finished_model({2}).get()));
  EXPECT_EQ(OH_NNCompilation_SetPriority(compilation.get(), priority), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNCompilation_Build(compilation.get()), OH_NN_SUCCESS);
  return async_executor_of(compilation);
}

// Blocks run 0 in the device until released, and each later run until the earlier ones are recorded.
class WaitingRuns : public testing::Test {
 protected:
  WaitingRuns() {
    nnrt::test::set_script([this](nnrt::Deadline) {
      const size_t before = entered++;
      EXPECT_TRUE(before > 0 || gate.pass());
      EXPECT_GE(log.wait_for(before).size(), before);
      return nnrt::Status();
    });
    start(OH_NN_PRIORITY_LOW);
    while (entered == 0) std::this_thread::yield();
  }
  ~WaitingRuns() override {
    gate.open();
    executors.clear();
    nnrt::test::set_script(nullptr);
  }

  // Returns at once.
  void start(OH_NN_Priority priority, int32_t timeout = 0) {
    NotedRun& run = runs.emplace_back(NotedRun{log, static_cast<int>(runs.size())});
    executors.push_back(executor_with(priority));
    ASSERT_EQ(run_async(executors.back().get(), {a.get(), a.get()}, {ys.emplace_back(tensor_of({2})).get()},
                        &run, timeout),
              OH_NN_SUCCESS);
  }
  // Returns when the run waits for the device.
  void start_waiting(OH_NN_Priority priority) {
    const size_t before = nnrt::test::device_gate().waiting();
    start(priority);
    while (nnrt::test::device_gate().waiting() == before) std::this_thread::yield();
  }

  std::atomic<size_t> entered = 0;
  Gate gate;
  RunLog log;
  std::deque<NotedRun> runs;
  Tensor a = tensor_of({2});
  std::deque<Tensor> ys;
  std::vector<Executor> executors;
};

}  // namespace

TEST_F(WaitingRuns, StartByThePriorityOfTheirCompilation) {
  for (const auto priority : {OH_NN_PRIORITY_LOW, OH_NN_PRIORITY_NONE, OH_NN_PRIORITY_HIGH,
                              OH_NN_PRIORITY_MEDIUM, OH_NN_PRIORITY_HIGH}) {
    start_waiting(priority);
  }
  gate.open();
  Entries expected;
  for (const int run : {0, 3, 5, 2, 4, 1}) expected.push_back({run, OH_NN_SUCCESS});
  EXPECT_EQ(log.wait_for(6), expected);
}

TEST_F(WaitingRuns, TimeOutInTheQueue) {
  start(OH_NN_PRIORITY_HIGH, 5);
  EXPECT_EQ(log.wait_for(1), (Entries{{1, OH_NN_TIMEOUT}})) << "run 0 is still inside";
  gate.open();
  EXPECT_EQ(log.wait_for(2), (Entries{{1, OH_NN_TIMEOUT}, {0, OH_NN_SUCCESS}}));
}

TEST(WaitingRunsOfOneExecutor, EndWithTimeoutWhileItRunsSomethingElse) {
  std::atomic<bool> is_held = false;
  Gate gate;
  nnrt::test::set_script([&](nnrt::Deadline) {
    is_held = true;
    EXPECT_TRUE(gate.pass());
    return nnrt::Status();
  });
  RunLog log;
  NotedRun late{log};
  const Tensor a = tensor_of({2}), y = tensor_of({2}), z = tensor_of({2});
  const Executor executor = executor_with(OH_NN_PRIORITY_NONE);
  std::thread holder([&] { EXPECT_EQ(run(executor.get(), {a.get(), a.get()}, {y.get()}), OH_NN_SUCCESS); });
  while (!is_held) std::this_thread::yield();
  EXPECT_EQ(run_async(executor.get(), {a.get(), a.get()}, {z.get()}, &late, 5), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(1), (Entries{{0, OH_NN_TIMEOUT}})) << "the synchronous run is still inside";
  gate.open();
  holder.join();
  nnrt::test::set_script(nullptr);
}
