// A progress line on standard error: shown only on terminals, and only after a second.
#pragma once

#include "tools/nnrt/base/clock.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace nnrt::tool {

class Progress {
 public:
  // Without steps the line shows only the elapsed time.
  explicit Progress(const std::string& title, size_t steps = 0);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // From any thread.
  void step() { ++done_; }

 private:
  void watch(const std::stop_token& stop);
  void draw() const;

  std::string title_;
  size_t steps_;
  std::atomic<size_t> done_ = 0;
  Stopwatch stopwatch_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread watcher_;  // last: the thread reads the members above
};

}  // namespace nnrt::tool
