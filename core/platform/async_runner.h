// Does jobs in order, one at a time, on a thread of its own, which the first job starts.
#pragma once

#include "core/base/result.h"

#include <memory>
#include <mutex>
#include <thread>

namespace nnrt {

class AsyncRunner {
 public:
  class Job {
   public:
    virtual ~Job() = default;
    virtual void run() noexcept = 0;
  };
  // Anything that is to live until the last job is done; giving it up needs no memory.
  using Owner = std::unique_ptr<void, void (*)(void*)>;

  AsyncRunner();
  ~AsyncRunner();  // as finish(); on the thread itself, where no job is left, it only lets go of it
  AsyncRunner(const AsyncRunner&) = delete;
  AsyncRunner& operator=(const AsyncRunner&) = delete;

  // forbidden once finish() was called. A job is done exactly if this succeeds, and never inside the call.
  Status start(std::unique_ptr<Job> job);

  // Takes no more jobs and waits for those that there are. Not for the thread itself.
  void finish();
  // For the thread itself: takes no more jobs and does not wait. The thread destroys the owner, of which this
  // runner may be a part, after the last job.
  void finish(Owner owner);

  bool on_thread() const;

 private:
  struct Queue;
  static void work(const std::shared_ptr<Queue>& queue);

  std::shared_ptr<Queue> queue_;  // the thread may outlive the runner
  std::thread thread_;
};

}  // namespace nnrt
