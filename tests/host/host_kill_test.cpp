// Kills hosts at random moments, through the C API: runs end with the documented return codes and callbacks,
// nothing hangs, and nothing leaks. NNRT_TEST_KILLS sets the number of kills.
#include "tests/host/host_processes.h"
#include "tests/support/process_resources.h"
#include "tests/support/test_settings.h"
#include "tests/unit/api/execution/async_callbacks.h"

#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <thread>

using namespace api_tests;

namespace {

constexpr int kLength = 3000;

int kills() { return nnrt::test::number_from("NNRT_TEST_KILLS", nnrt::test::draws(200)); }

// An asynchronous run as seen by its callbacks.
struct Noted {
  std::atomic<int> died = 0, done = 0, died_before_done = 0;
  std::atomic<OH_NN_ReturnCode> code = OH_NN_SUCCESS;
  std::atomic<bool> is_right = false;
};

bool is_right(NN_Tensor* y) {
  const auto* values = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y));
  return values[0] == 6 && values[1] == 0 && values[kLength - 1] == 8;
}

void note_end(void* user_data, OH_NN_ReturnCode code, void** outputs, int32_t) {
  auto& noted = *static_cast<Noted*>(user_data);
  noted.is_right = is_right(static_cast<NN_Tensor*>(outputs[0]));
  noted.code = code;
  noted.died_before_done = noted.died.load();
  ++noted.done;
}

void note_lost(void* user_data) { ++static_cast<Noted*>(user_data)->died; }

class Kills : public testing::Test {
 protected:
  // Starts runs until one is refused, then destroys the executor, which waits for all of them.
  void run_deferred(OH_NNCompilation* compilation) {
    Executor executor(OH_NNExecutor_Construct(compilation));
    ASSERT_NE(executor, nullptr);
    OH_NNExecutor_SetOnRunDone(executor.get(), note_end);
    OH_NNExecutor_SetOnServiceDied(executor.get(), note_lost);
    const Tensor y = tensor_of({kLength});
    std::deque<Noted> runs;
    OH_NN_ReturnCode code = OH_NN_SUCCESS;
    while (code == OH_NN_SUCCESS) {
      Noted& noted = runs.emplace_back();
      code = run_async(executor.get(), {a_.get(), a_.get()}, {y.get()}, &noted);
      if (code != OH_NN_SUCCESS) runs.pop_back();
      while (code == OH_NN_SUCCESS && runs.size() > 8 && runs[runs.size() - 8].done == 0)
        std::this_thread::yield();
    }
    EXPECT_EQ(code, OH_NN_UNAVAILABLE_DEVICE);
    executor.reset();
    for (const Noted& noted : runs) {
      const bool is_lost = noted.code == OH_NN_UNAVAILABLE_DEVICE;
      EXPECT_EQ(noted.done, 1);
      EXPECT_TRUE(is_lost || noted.code == OH_NN_SUCCESS) << noted.code;
      EXPECT_EQ(noted.died, is_lost ? 1 : 0);
      EXPECT_EQ(noted.died_before_done, noted.died);
      EXPECT_TRUE(is_lost || noted.is_right);
      ++quantized_[noted.code];
    }
  }
  void run_now(OH_NNCompilation* compilation) {
    const Executor executor(OH_NNExecutor_Construct(compilation));
    const Tensor y = tensor_of({kLength});
    OH_NN_ReturnCode code = OH_NN_SUCCESS;
    while (code == OH_NN_SUCCESS) {
      code = run(executor.get(), {a_.get(), a_.get()}, {y.get()});
      EXPECT_TRUE(code != OH_NN_SUCCESS || is_right(y.get()));
      ++quantized_[code];
    }
    EXPECT_EQ(code, OH_NN_UNAVAILABLE_DEVICE);
    EXPECT_EQ(run(executor.get(), {a_.get(), a_.get()}, {y.get()}), OH_NN_UNAVAILABLE_DEVICE);
  }
  static Tensor input() {
    std::vector<float> values(kLength, 1);
    values[0] = 3;
    values[1] = -1;
    values.back() = 4;
    return tensor_of({kLength}, values);
  }
  // Resources held after everything was destroyed and a new host has done one run.
  Held held_afresh() {
    kill_hosts();
    const Tensor y = tensor_of({kLength});
    for (int i = 0; i < 100; ++i) {
      Compilation compilation(OH_NNCompilation_Construct(finished_model({kLength}).get()));
      if (OH_NNCompilation_Build(compilation.get()) != OH_NN_SUCCESS) continue;
      const Executor executor(OH_NNExecutor_Construct(compilation.get()));
      if (run(executor.get(), {a_.get(), a_.get()}, {y.get()}) == OH_NN_SUCCESS) return held();
    }
    ADD_FAILURE() << "There is no host any more.";
    return held();
  }

  const Tensor a_ = input();
  std::map<int, std::atomic<int>> quantized_ = [] {
    std::map<int, std::atomic<int>> return_codes;
    for (int code = 0; code <= OH_NN_UNAVAILABLE_DEVICE; ++code) return_codes[code] = 0;
    return return_codes;
  }();
};

TEST_F(Kills, AtRandomMomentsEndRunsAsDocumented) {
  std::mt19937 random(7);
  int survived = 0, during_build = 0;
  Held before{};
  for (int i = 0; i < kills(); ++i) {
    if (i == kills() / 4) before = held_afresh();
    ASSERT_FALSE(HasFailure()) << "after " << i << " kills";
    const auto moment = std::chrono::microseconds(std::uniform_int_distribution(0, 8000)(random));
    std::thread killer;
    const auto start_killer = [&] {
      killer = std::thread([&] {
        while (hosts().empty()) std::this_thread::yield();
        std::this_thread::sleep_for(moment);
        kill_hosts();
      });
    };
    const bool in_build = i % 4 == 3;
    if (in_build) start_killer();
    Compilation compilation(OH_NNCompilation_Construct(finished_model({kLength}).get()));
    const OH_NN_ReturnCode code = OH_NNCompilation_Build(compilation.get());
    EXPECT_TRUE(code == OH_NN_SUCCESS || (in_build && code == OH_NN_UNAVAILABLE_DEVICE)) << code;
    if (code != OH_NN_SUCCESS) {
      killer.join();
      ++during_build;
    } else {
      if (!in_build) start_killer();
      std::thread unawaited([&] { run_deferred(compilation.get()); });
      std::thread now([&] { run_now(compilation.get()); });
      killer.join();
      if (in_build) kill_hosts();  // one that Build started after the first kill
      unawaited.join();
      now.join();
    }
    ++survived;
  }
  const Held after = held_afresh();
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_LT(after.heap, before.heap + (256 << 10));
  EXPECT_LT(after.resident, before.resident + (8 << 20));
  EXPECT_EQ(hosts().size(), 1u);
  std::printf(
      "%d kills survived, %d of them during Build; %d runs done, %d lost; heap %+td bytes, resident %+td "
      "bytes\n",
      survived, during_build, quantized_[OH_NN_SUCCESS].load(), quantized_[OH_NN_UNAVAILABLE_DEVICE].load(),
      std::ptrdiff_t(after.heap - before.heap), std::ptrdiff_t(after.resident - before.resident));
  EXPECT_GT(quantized_[OH_NN_UNAVAILABLE_DEVICE], survived / 2);
}

}  // namespace
