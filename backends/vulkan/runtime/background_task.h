// A single background task beside a model's runs.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace nnrt::vulkan {

// Must be destroyed before the members that the task uses. Thread safe.
class Background {
 public:
  Background() = default;
  ~Background();  // requests a stop and waits
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Starts the task unless one is running; false also if no thread can be created. `work` may poll stopping()
  // and must not throw.
  bool begin(std::function<void()> work) noexcept;
  bool stopping() const { return stopping_; }

 private:
  std::atomic<bool> stopping_{false}, busy_{false};
  std::mutex mutex_;  // guards thread_
  std::thread thread_;
};

}  // namespace nnrt::vulkan
