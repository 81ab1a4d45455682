// Parallel loops for work that is too rare to keep threads for it, such as hashing files or creating
// pipelines.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <functional>

namespace nnrt {

// Calls body(i) for each i < count, lower ones first, on up to `max_threads` threads including the caller's;
// on fewer if threads cannot be created. After an error the remaining calls are skipped; returns the error of
// the lowest i that failed. Exceptions become errors.
Status parallel_work(size_t count, size_t max_threads, const std::function<Status(size_t)>& body);

// Calls the body this number of times on threads that exist already, and returns after the last call.
using ParallelLoop = std::function<void(size_t calls, const std::function<void()>& body)>;

// While it exists, parallel_work() on this thread starts no threads: it uses the loop, or this thread alone
// if that is null.
class BorrowedThreads {
 public:
  explicit BorrowedThreads(ParallelLoop loop);
  ~BorrowedThreads();
  BorrowedThreads(const BorrowedThreads&) = delete;
  BorrowedThreads& operator=(const BorrowedThreads&) = delete;

  const ParallelLoop& loop() const { return loop_; }

 private:
  const ParallelLoop loop_;
  const BorrowedThreads* const outer_;
};

}  // namespace nnrt
