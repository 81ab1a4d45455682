#include "backends/vulkan/device/parallel_for_each.h"

#include "core/base/exceptions.h"
#include "core/platform/first_error.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace nnrt::vulkan {
namespace {

constexpr size_t kMaxThreads = 8;

class Work {
 public:
  Work(size_t count, const std::function<Status(size_t)>& work) : count_(count), work_(work) {}

  void run() noexcept {
    for (size_t i = next_++; i < count_; i = next_++) {
      Status status = catching([&] { return work_(i); });
      if (status.ok()) continue;
      next_ = count_;
      error_.add(i, std::move(status).error());
    }
  }

  Status take() { return error_.take(); }

 private:
  const size_t count_;
  const std::function<Status(size_t)>& work_;
  std::atomic<size_t> next_{0};
  FirstError error_;
};

}  // namespace

Status for_each_parallel(size_t count, const std::function<Status(size_t)>& work) {
  const size_t cores = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
  Work shared(count, work);
  {
    std::vector<std::jthread> helpers;
    // Continues with fewer threads if no more can be created.
    best_effort([&] {
      while (helpers.size() + 1 < std::min(cores, count)) helpers.emplace_back([&] { shared.run(); });
    });
    shared.run();
  }
  return shared.take();
}

}  // namespace nnrt::vulkan
