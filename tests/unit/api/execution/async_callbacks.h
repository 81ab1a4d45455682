// Callbacks of RunAsync that record their arguments, and a gate to block them.
#pragma once

#include "tests/unit/api/api_test_handles.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace api_tests {

// Closed until it is opened, once.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }
  bool pass() {
    std::unique_lock lock(mutex_);
    return opened_.wait_for(lock, std::chrono::seconds(60), [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

// Records how runs ended. Must outlive them.
class RunLog {
 public:
  struct Entry {
    int run;
    OH_NN_ReturnCode code;
    bool died = false;  // NN_OnServiceDied, which has no code
    bool operator==(const Entry&) const = default;
  };

  void add(const Entry& entry) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(entry);
    added_.notify_all();
  }
  std::vector<Entry> wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    added_.wait_for(lock, std::chrono::seconds(60), [&] { return entries_.size() >= count; });
    return entries_;
  }
  std::vector<Entry> entries() { return wait_for(0); }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<Entry> entries_;
};

// The user data of one run.
struct NotedRun {
  RunLog& log;
  int number = 0;
  std::function<void(NN_Tensor* output)> during_callback{};  // before it is in the log
};

inline void note_done(void* user_data, OH_NN_ReturnCode code, void* outputs[], int32_t) {
  const NotedRun& run = *static_cast<NotedRun*>(user_data);
  if (run.during_callback) run.during_callback(static_cast<NN_Tensor*>(outputs[0]));
  run.log.add({run.number, code});
}

inline void note_death(void* user_data) {
  const NotedRun& run = *static_cast<NotedRun*>(user_data);
  run.log.add({run.number, OH_NN_SUCCESS, true});
}

inline OH_NN_ReturnCode run_async(OH_NNExecutor* executor, std::vector<NN_Tensor*> inputs,
                                  std::vector<NN_Tensor*> outputs, void* user_data, int32_t timeout = 0) {
  return OH_NNExecutor_RunAsync(executor, inputs.data(), inputs.size(), outputs.data(), outputs.size(),
                                timeout, user_data);
}

inline Executor async_executor_of(const Compilation& compilation) {
  Executor executor(OH_NNExecutor_Construct(compilation.get()));
  EXPECT_EQ(OH_NNExecutor_SetOnRunDone(executor.get(), note_done), OH_NN_SUCCESS);
  EXPECT_EQ(OH_NNExecutor_SetOnServiceDied(executor.get(), note_death), OH_NN_SUCCESS);
  return executor;
}

inline Executor async_executor_of(const std::vector<int32_t>& shape) {
  return async_executor_of(built_compilation(shape));
}

}  // namespace api_tests
