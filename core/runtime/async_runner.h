// Runs jobs in order on a dedicated thread, which the first job starts.
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
  // Anything that must outlive the last job; releasing it must not allocate.
  using Owner = std::unique_ptr<void, void (*)(void*)>;

  AsyncRunner();
  ~AsyncRunner();  // as finish(); on the thread itself, when no job is left, it detaches
  AsyncRunner(const AsyncRunner&) = delete;
  AsyncRunner& operator=(const AsyncRunner&) = delete;

  // forbidden after finish(). A job runs exactly if this succeeds, and never inside this call.
  Status start(std::unique_ptr<Job> job);

  // Stops accepting jobs and waits for the pending ones. Not to be called on the thread itself.
  void finish();
  // For calls on the thread itself: stops accepting jobs without waiting. The thread destroys the owner,
  // which may contain this runner, after the last job.
  void finish(Owner owner);

  bool on_thread() const;

 private:
  struct Queue;
  static void work(const std::shared_ptr<Queue>& queue);

  std::shared_ptr<Queue> queue_;  // the thread may outlive the runner
  std::thread thread_;
};

}  // namespace nnrt
