// One piece of work at a time beside the runs of a model.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace nnrt::vulkan {

// Its owner's other members must outlive it. Thread safe.
class Background {
 public:
  Background() = default;
  ~Background();  // asks the work to stop, and waits for it
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Begins, unless something is going on: false, also where there is no thread to be had. `work` may look at
  // stopping(), and must throw nothing.
  bool begin(std::function<void()> work) noexcept;
  bool stopping() const { return stopping_; }

 private:
  std::atomic<bool> stopping_{false}, busy_{false};
  std::mutex mutex_;  // guards the thread
  std::thread thread_;
};

}  // namespace nnrt::vulkan
