#include "core/memory/parallel_work.h"

#include "core/base/exceptions.h"
#include "core/platform/settings.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace nnrt {
namespace {

class Work {
 public:
  Work(size_t count, const std::function<Status(size_t)>& body) : count_(count), body_(body) {}

  void take_part() {
    for (size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) {
      Status status = catching([&] { return body_(i); });
      if (!status.ok()) fail(i, std::move(status));
    }
  }
  Status result() && { return std::move(first_error_); }

 private:
  void fail(size_t i, Status status) {
    next_.store(count_);
    const std::lock_guard lock(mutex_);
    if (!first_error_.ok() && failed_ < i) return;
    first_error_ = std::move(status);
    failed_ = i;
  }

  const size_t count_;
  const std::function<Status(size_t)>& body_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  Status first_error_;
  size_t failed_ = 0;
};

}  // namespace

Status parallel_work(size_t count, size_t max_threads, const std::function<Status(size_t)>& body) {
  const uint64_t cores = std::max(std::thread::hardware_concurrency(), 1u);
  const uint64_t threads = std::min<uint64_t>(setting_number(Setting::threads).value_or(cores), max_threads);
  Work work(count, body);
  std::vector<std::jthread> helpers;
  best_effort([&] {
    while (helpers.size() + 1 < std::min<uint64_t>(threads, count))
      helpers.emplace_back([&work] { work.take_part(); });
  });
  work.take_part();
  helpers.clear();  // joins
  return std::move(work).result();
}

}  // namespace nnrt
