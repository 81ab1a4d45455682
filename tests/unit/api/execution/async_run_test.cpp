#include "tests/unit/api/execution/async_callbacks.h"

#include <atomic>
#include <deque>
#include <thread>

using namespace api_tests;

namespace {

using Entries = std::vector<RunLog::Entry>;

// y = exp(exp(... x)), slow enough that no machine does it in a millisecond.
Executor slow_executor(int32_t size) {
  constexpr uint32_t kSteps = 40;
  const Model model(OH_NNModel_Construct());
  for (uint32_t i = 0; i <= kSteps; ++i) OH_NNModel_AddTensorToModel(model.get(), desc_of({size}).get());
  for (uint32_t i = 0; i < kSteps; ++i) {
    add_operation(model, OH_NN_OPS_EXP, {i}, {i + 1});
  }
  finish(model, {0}, {kSteps});
  const Compilation compilation = built(model);
  return async_executor_of(compilation);
}

// An executor whose thread is blocked in the callback of run 0.
struct HeldUp {
  explicit HeldUp(Executor its = async_executor_of({2})) : executor(std::move(its)) {
    EXPECT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &holder), OH_NN_SUCCESS);
  }
  Gate gate;
  RunLog log;
  NotedRun holder{log, 0, [this](NN_Tensor*) { EXPECT_TRUE(gate.pass()); }};
  Tensor a = tensor_of({2}, {3, 4}), y = tensor_of({2});
  Executor executor;
};

}  // namespace

TEST(RunAsync, ComputesAndReturnsUserData) {
  RunLog log;
  const Tensor a = tensor_of({2}, {3, -4}), y = tensor_of({2});
  const Executor executor = async_executor_of({2});
  std::thread::id thread;
  NotedRun run{log, 7, [&](NN_Tensor* output) {
                 EXPECT_EQ(output, y.get());
                 EXPECT_EQ(values_of(y, 2), (std::vector<float>{6, 0}));
                 thread = std::this_thread::get_id();
               }};
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &run), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(1), (Entries{{7, OH_NN_SUCCESS}}));
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(RunAsync, SetsShapesBeforeCallback) {
  RunLog log;
  const Tensor a = tensor_of({2, 5}), y(OH_NNTensor_CreateWithSize(0, desc_of({2, -1}).get(), 100));
  const Executor executor = async_executor_of({2, -1});
  NotedRun run{log, 0, [&](NN_Tensor* output) {
                 EXPECT_EQ(shape_of(OH_NNTensor_GetTensorDesc(output)), (std::vector<int32_t>{2, 5}));
                 EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{2, 5}));
               }};
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &run), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(1).size(), 1u);
}

TEST(RunAsync, EndsInOrderAndOnce) {
  RunLog log;
  std::deque<NotedRun> runs;
  Entries expected;
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  {
    const Executor executor = async_executor_of({2});
    for (int i = 0; i < 500; ++i) {
      expected.push_back({i, OH_NN_SUCCESS});
      ASSERT_EQ(
          run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &runs.emplace_back(NotedRun{log, i})),
          OH_NN_SUCCESS);
    }
  }
  EXPECT_EQ(log.entries(), expected);
}

TEST(RunAsync, ReturnsImmediateErrorsWithoutCallback) {
  RunLog log;
  NotedRun run{log};
  const Tensor a = tensor_of({2, 5}), y = tensor_of({2, 5}), wide = tensor_of({2, 7});
  const Tensor small(OH_NNTensor_CreateWithSize(0, desc_of({2, -1}).get(), 39));
  {
    const Executor executor = async_executor_of({2, -1});
    for (const auto& [b, output] : {std::pair{&wide, &y}, {&a, &a}, {&a, &small}}) {
      EXPECT_EQ(run_async(executor.get(), {a.get(), b->get()}, {output->get()}, &run),
                OH_NN_INVALID_PARAMETER);
    }
    EXPECT_EQ(output_shape(executor.get()), (std::vector<int32_t>{2, 5})) << "of what did not fit";
  }
  EXPECT_TRUE(log.entries().empty());
}

TEST(RunAsync, TimesOut) {
  RunLog log;
  NotedRun late{log, 0}, unhurried{log, 1};
  const Tensor x = tensor_of({1 << 20}), y = tensor_of({1 << 20});
  const Executor executor = slow_executor(1 << 20);
  ASSERT_EQ(run_async(executor.get(), {x.get()}, {y.get()}, &late, 1), OH_NN_SUCCESS);
  ASSERT_EQ(run_async(executor.get(), {x.get()}, {y.get()}, &unhurried, 0), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(2), (Entries{{0, OH_NN_TIMEOUT}, {1, OH_NN_SUCCESS}}));
}

TEST(RunAsync, CountsTheTimeInTheQueue) {
  HeldUp held;
  NotedRun late{held.log, 1}, patient{held.log, 2}, negative{held.log, 3};
  const auto start = [&](NotedRun& run, int32_t timeout) {
    return run_async(held.executor.get(), {held.a.get(), held.a.get()}, {held.y.get()}, &run, timeout);
  };
  ASSERT_EQ(start(late, 5), OH_NN_SUCCESS);
  ASSERT_EQ(start(patient, 1000000), OH_NN_SUCCESS);
  ASSERT_EQ(start(negative, -1), OH_NN_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
  held.gate.open();
  EXPECT_EQ(held.log.wait_for(4),
            (Entries{{0, OH_NN_SUCCESS}, {1, OH_NN_TIMEOUT}, {2, OH_NN_SUCCESS}, {3, OH_NN_SUCCESS}}));
}

TEST(RunAsync, UsesCallbackSetAtStart) {
  HeldUp held;
  NotedRun before{held.log, 1};
  ASSERT_EQ(run_async(held.executor.get(), {held.a.get(), held.a.get()}, {held.y.get()}, &before),
            OH_NN_SUCCESS);
  const auto other = [](void* user_data, OH_NN_ReturnCode, void*[], int32_t) {
    static_cast<NotedRun*>(user_data)->log.add({-1, OH_NN_FAILED});
  };
  ASSERT_EQ(OH_NNExecutor_SetOnRunDone(held.executor.get(), other), OH_NN_SUCCESS);
  NotedRun after{held.log, 2};
  ASSERT_EQ(run_async(held.executor.get(), {held.a.get(), held.a.get()}, {held.y.get()}, &after),
            OH_NN_SUCCESS);
  held.gate.open();
  EXPECT_EQ(held.log.wait_for(3), (Entries{{0, OH_NN_SUCCESS}, {1, OH_NN_SUCCESS}, {-1, OH_NN_FAILED}}));
}

TEST(RunAsync, SurvivesDestroyedTensors) {
  HeldUp held;
  Tensor a = tensor_of({2}, {1, 2}), y = tensor_of({2});
  const Tensor same(OH_NNTensor_CreateWithFd(0, desc_of({2}).get(), fd_of(y), 8, 0));
  NotedRun run{held.log, 1};
  ASSERT_EQ(run_async(held.executor.get(), {a.get(), a.get()}, {y.get()}, &run), OH_NN_SUCCESS);
  a.reset();
  y.reset();
  held.gate.open();
  EXPECT_EQ(held.log.wait_for(2), (Entries{{0, OH_NN_SUCCESS}, {1, OH_NN_SUCCESS}}));
  EXPECT_EQ(values_of(same, 2), (std::vector<float>{2, 4}));
}

TEST(RunAsync, DestroyWaitsForQueuedRuns) {
  HeldUp held;
  std::deque<NotedRun> runs;
  for (int i = 1; i < 20; ++i) {
    ASSERT_EQ(run_async(held.executor.get(), {held.a.get(), held.a.get()}, {held.y.get()},
                        &runs.emplace_back(NotedRun{held.log, i})),
              OH_NN_SUCCESS);
  }
  std::thread opener([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    held.gate.open();
  });
  held.executor.reset();
  EXPECT_EQ(held.log.entries().size(), 20u);
  opener.join();
}

TEST(RunAsync, IsRefusedDuringDestruction) {
  RunLog log;
  Gate destroying;
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  OH_NNExecutor* executor = async_executor_of({2}).release();
  OH_NNExecutor* const same = executor;
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
  NotedRun run{log, 0, [&](NN_Tensor*) {
                 EXPECT_TRUE(destroying.pass());
                 // Destroy may take any time to begin; the runs end because they are refused then.
                 while (code == OH_NN_SUCCESS) {
                   static NotedRun link{log, 1};
                   code = run_async(same, {a.get(), a.get()}, {y.get()}, &link);
                   std::this_thread::yield();
                 }
               }};
  ASSERT_EQ(run_async(executor, {a.get(), a.get()}, {y.get()}, &run), OH_NN_SUCCESS);
  destroying.open();
  OH_NNExecutor_Destroy(&executor);
  EXPECT_EQ(code, OH_NN_OPERATION_FORBIDDEN);
  EXPECT_EQ(log.entries().front(), (RunLog::Entry{0, OH_NN_SUCCESS}));
}

TEST(RunAsync, ItsCallbackMayDestroyTheExecutor) {
  RunLog log;
  Gate all_started;
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  OH_NNExecutor* executor = async_executor_of({2}).release();
  NotedRun last{log, 1};
  NotedRun first{log, 0, [&](NN_Tensor*) {
                   EXPECT_TRUE(all_started.pass());
                   OH_NNExecutor_Destroy(&executor);
                   EXPECT_EQ(executor, nullptr);
                   EXPECT_TRUE(log.entries().empty()) << "Destroy waits for nothing here";
                 }};
  for (NotedRun* run : {&first, &last}) {
    ASSERT_EQ(run_async(executor, {a.get(), a.get()}, {y.get()}, run), OH_NN_SUCCESS);
  }
  all_started.open();
  EXPECT_EQ(log.wait_for(2), (Entries{{0, OH_NN_SUCCESS}, {1, OH_NN_SUCCESS}}));
}

TEST(RunAsync, ItsCallbackMayStartTheNextRun) {
  RunLog log;
  const Tensor a = tensor_of({2}), y = tensor_of({2});
  const Executor executor = async_executor_of({2});
  NotedRun run{log};
  run.during_callback = [&](NN_Tensor* output) {
    if (++run.number == 10) return;
    EXPECT_EQ(run_async(executor.get(), {a.get(), a.get()}, {output}, &run), OH_NN_SUCCESS);
    EXPECT_EQ(log.entries().size(), static_cast<size_t>(run.number - 1)) << "called inside RunAsync";
  };
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &run), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(10).size(), 10u);
}

TEST(RunAsync, CallbackMayWaitForOtherExecutorsOnly) {
  RunLog log;
  const Tensor a = tensor_of({2}, {1, 2}), y = tensor_of({2}), z = tensor_of({2});
  const Compilation compilation = built_compilation({2});
  const Executor executor = async_executor_of(compilation), other = async_executor_of(compilation);
  NotedRun run_with{
      log, 0, [&](NN_Tensor*) {
        EXPECT_EQ(run(executor.get(), {y.get(), y.get()}, {z.get()}), OH_NN_OPERATION_FORBIDDEN);
        EXPECT_EQ(OH_NNExecutor_Run(executor.get()), OH_NN_OPERATION_FORBIDDEN);
        EXPECT_EQ(run(other.get(), {y.get(), y.get()}, {z.get()}), OH_NN_SUCCESS);
        EXPECT_EQ(values_of(z, 2), (std::vector<float>{4, 8}));
      }};
  ASSERT_EQ(run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &run_with), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(1).size(), 1u);
  EXPECT_EQ(run(executor.get(), {y.get(), y.get()}, {z.get()}), OH_NN_SUCCESS);
}

TEST(RunAsync, ExecutorsOfOneCompilationRunSideBySide) {
  const Compilation compilation = built_compilation({2});
  HeldUp held(async_executor_of(compilation));
  RunLog log;
  NotedRun run{log};
  const Executor other = async_executor_of(compilation);
  ASSERT_EQ(run_async(other.get(), {held.a.get(), held.a.get()}, {held.y.get()}, &run), OH_NN_SUCCESS);
  EXPECT_EQ(log.wait_for(1), (Entries{{0, OH_NN_SUCCESS}}));
  EXPECT_TRUE(held.log.entries().empty());
  held.gate.open();
}

TEST(RunAsync, IsThreadSafeWithRunSync) {
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  const Executor executor = async_executor_of({100});
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::vector<float> values(100, static_cast<float>(t)), doubled(100, static_cast<float>(2 * t));
      const Tensor a = tensor_of({100}, values), y = tensor_of({100}), z = tensor_of({100});
      RunLog log;
      NotedRun background{log};
      for (size_t i = 1; i <= 25; ++i) {
        if (run_async(executor.get(), {a.get(), a.get()}, {y.get()}, &background, 60000)) ++failures;
        if (run(executor.get(), {a.get(), a.get()}, {z.get()})) ++failures;
        if (log.wait_for(i) != Entries(i, {0, OH_NN_SUCCESS})) ++failures;
        if (values_of(y, 100) != doubled || values_of(z, 100) != doubled) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}
