// A child forked from a process with devices: each function fails with one sentence and none hangs, whatever
// the parent's threads are doing; the parent continues.
#include "tests/support/sanitized.h"
#include "tests/unit/api/execution/async_callbacks.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

using namespace api_tests;

namespace {

constexpr unsigned kMaxSeconds = 20;  // then the child is hanging, and is killed

// Exits with the number of the first failed check.
void require(bool holds, int number) {
  if (!holds) std::_Exit(number);
}

// The child's own calls are checked before its parent's objects are released.
struct Everything {
  Model model = finished_model({2});
  Compilation compilation = built_compilation({2});
  Executor executor = async_executor_of(compilation);
  Tensor a = tensor_of({2}, {1, -3}), b = tensor_of({2}, {1, 1}), y = tensor_of({2});

  OH_NN_ReturnCode run() const { return api_tests::run(executor.get(), {a.get(), b.get()}, {y.get()}); }
};

void expect_refusals(Everything& all) {
  int user_data = 0;
  require(all.run() == OH_NN_UNAVAILABLE_DEVICE, 1);
  require(run_async(all.executor.get(), {all.a.get(), all.b.get()}, {all.y.get()}, &user_data) ==
              OH_NN_UNAVAILABLE_DEVICE,
          2);
  require(OH_NNExecutor_Run(all.executor.get()) == OH_NN_UNAVAILABLE_DEVICE, 3);
  require(OH_NNExecutor_Construct(all.compilation.get()) == nullptr, 4);
  require(OH_NNCompilation_Construct(all.model.get()) == nullptr, 5);
  require(OH_NNCompilation_Build(all.compilation.get()) == OH_NN_UNAVAILABLE_DEVICE, 6);
  require(OH_NNTensor_Create(0, nullptr) == nullptr, 7);
  const size_t* ids = nullptr;
  uint32_t count = 0;
  require(OH_NNDevice_GetAllDevicesID(&ids, &count) == OH_NN_UNAVAILABLE_DEVICE, 8);
  const bool* supported = nullptr;
  require(
      OH_NNModel_GetAvailableOperations(all.model.get(), 0, &supported, &count) == OH_NN_UNAVAILABLE_DEVICE,
      9);
}

// Releases the handles; functions that return a code keep theirs.
void destroy_all(Everything& all) {
  OH_NNExecutor* executor = all.executor.release();
  OH_NNExecutor_Destroy(&executor);
  OH_NNCompilation* compilation = all.compilation.release();
  OH_NNCompilation_Destroy(&compilation);
  OH_NNModel* model = all.model.release();
  OH_NNModel_Destroy(&model);
  require(executor == nullptr && compilation == nullptr && model == nullptr, 10);
  NN_Tensor* tensor = all.y.release();
  require(OH_NNTensor_Destroy(&tensor) == OH_NN_UNAVAILABLE_DEVICE, 11);
}

// Returns the wait status of a child that does this and exits with 0, with or without running exit handlers.
template <typename Do>
int status_of_child(bool calls_handlers, const Do& act) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kMaxSeconds);
    act();
    if (!calls_handlers) std::_Exit(0);
    std::exit(0);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// Returns whether a GPU driver is loaded. exit() in a child also runs the exit handlers of drivers and
// layers, which may wait for threads that do not exist in the child: POSIX does not promise that exit() works
// there.
bool has_driver() { return std::ranges::count(device_ids(), OH_NN_GPU, device_type) > 0; }

}  // namespace

TEST(Fork, ChildIsRefusedAndParentStillRuns) {
  Everything all;
  ASSERT_EQ(all.run(), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(all.y, 2), (std::vector<float>{2, 0}));
  for (const bool calls_handlers : {false, true}) {
    // At exit a sanitizer would report as leaks what the child must not destroy.
    if (calls_handlers && (nnrt::test::kSanitized || has_driver())) continue;
    EXPECT_EQ(status_of_child(calls_handlers,
                              [&] {
                                expect_refusals(all);
                                destroy_all(all);
                              }),
              0)
        << calls_handlers;
    std::memset(OH_NNTensor_GetDataBuffer(all.y.get()), 0, 8);
    ASSERT_EQ(all.run(), OH_NN_SUCCESS);
    EXPECT_EQ(values_of(all.y, 2), (std::vector<float>{2, 0}));
  }
}

TEST(Fork, DuringRunsDoesNotHang) {
  if (nnrt::test::kSanitized) GTEST_SKIP() << "sanitizers hold locks of their own over a fork";
  Everything all;
  std::atomic<bool> is_done = false;
  std::atomic<int> rounds = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&, i] {
      const Everything own;
      RunLog log;
      NotedRun noted{log};
      size_t runs = 0;
      while (!is_done) {
        EXPECT_EQ(own.run(), OH_NN_SUCCESS);
        if (i > 0) {
          EXPECT_EQ(run_async(own.executor.get(), {own.a.get(), own.b.get()}, {own.y.get()}, &noted),
                    OH_NN_SUCCESS);
          EXPECT_EQ(log.wait_for(++runs).size(), runs);
        }
        EXPECT_NE(built_compilation({2}), nullptr);
        ++rounds;
      }
    });
  }
  while (rounds < 3) std::this_thread::yield();
  for (int time = 0; time < 30; ++time) {
    const int status = status_of_child(false, [&] {
      expect_refusals(all);
      destroy_all(all);
    });
    EXPECT_EQ(status, 0) << time;
    if (status != 0) break;
  }
  is_done = true;
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(all.run(), OH_NN_SUCCESS);
}

TEST(Fork, LeavesMemoryShared) {
  const Everything all;
  auto* const data = static_cast<float*>(OH_NNTensor_GetDataBuffer(all.a.get()));
  EXPECT_EQ(status_of_child(false, [&] { data[1] = 4; }), 0);
  ASSERT_EQ(all.run(), OH_NN_SUCCESS);
  EXPECT_EQ(values_of(all.y, 2), (std::vector<float>{2, 5}));
}

namespace {

// In a process that has done nothing yet.
[[noreturn]] void use_in_a_child() {
  const auto use = [] {
    const Everything all;
    require(all.run() == OH_NN_SUCCESS, 1);
    require(values_of(all.y, 2) == std::vector<float>{2, 0}, 2);
  };
  require(status_of_child(true, use) == 0, 3);
  require(status_of_child(true, use) == 0, 4);
  use();
  std::_Exit(0);
}

[[noreturn]] void refuse_aloud() {
  setenv("NNRT_LOG", "error", 1);
  const Everything all;
  const int status = status_of_child(false, [&] { require(all.run() == OH_NN_UNAVAILABLE_DEVICE, 1); });
  std::_Exit(status);
}

}  // namespace

TEST(Fork, BeforeTheFirstUseLeavesTheChildEverything) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  EXPECT_EXIT(use_in_a_child(), testing::ExitedWithCode(0), "");
}

TEST(Fork, IsToldInOneSentence) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      refuse_aloud(), testing::ExitedWithCode(0),
      "NNRt E: OH_NNExecutor_RunSync: This process was forked after the devices were opened; it can use "
      "them only after exec\\(\\)\\.\n$");
}
