#include "core/memory/parallel_work.h"

#include "core/base/exceptions.h"
#include "core/platform/first_error.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace nnrt {
namespace {

class Work {
 public:
  Work(size_t count, const std::function<Status(size_t)>& body) : count_(count), body_(body) {}

  void take_part() noexcept {
    for (size_t i = next_++; i < count_; i = next_++) {
      Status status = catching([&] { return body_(i); });
      if (status.ok()) continue;
      next_ = count_;
      error_.add(i, std::move(status).error());
    }
  }
  Status take() { return error_.take(); }

 private:
  const size_t count_;
  const std::function<Status(size_t)>& body_;
  std::atomic<size_t> next_{0};
  FirstError error_;
};

thread_local const BorrowedThreads* borrowed = nullptr;

}  // namespace

BorrowedThreads::BorrowedThreads(ParallelLoop loop)
    : loop_(std::move(loop)), outer_(std::exchange(borrowed, this)) {}

BorrowedThreads::~BorrowedThreads() { borrowed = outer_; }

Status parallel_work(size_t count, size_t max_threads, const std::function<Status(size_t)>& body) {
  Work work(count, body);
  const size_t threads = std::min(max_threads, count);
  if (borrowed != nullptr && borrowed->loop() && threads > 1) {
    borrowed->loop()(threads, [&] { work.take_part(); });
  } else if (borrowed != nullptr) {
    work.take_part();
  } else {
    std::vector<std::thread> helpers;
    best_effort([&] {
      while (helpers.size() + 1 < threads) helpers.emplace_back([&] { work.take_part(); });
    });
    work.take_part();
    for (std::thread& helper : helpers) helper.join();
  }
  return work.take();
}

}  // namespace nnrt
