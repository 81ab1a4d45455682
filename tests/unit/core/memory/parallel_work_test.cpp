#include "core/memory/parallel_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

namespace nnrt {
namespace {

TEST(ParallelWork, CallsTheBodyOnceForEachIndex) {
  for (const size_t count : {0, 1, 2, 1000}) {
    for (const size_t threads : {1, 2, 8}) {
      std::vector<std::atomic<int>> calls(count);
      const Status status = parallel_work(count, threads, [&](size_t i) -> Status {
        ++calls[i];
        return {};
      });
      EXPECT_TRUE(status.ok());
      for (const auto& number : calls) EXPECT_EQ(number, 1);
    }
  }
}

TEST(ParallelWork, ReturnsAnErrorAndSkipsTheRest) {
  std::atomic<size_t> calls = 0;
  const Status status = parallel_work(100000, 2, [&](size_t i) -> Status {
    ++calls;
    if (i < 7) return {};
    return Error{Code::invalid_file, std::to_string(i)};
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::invalid_file);
  EXPECT_LT(calls, 100000u);
}

TEST(ParallelWork, TurnsExceptionsIntoErrors) {
  const Status status = parallel_work(4, 2, [](size_t) -> Status { throw std::bad_alloc(); });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::memory);
}

TEST(ParallelWork, StartsNoThreadsWhileItHasALoop) {
  size_t loops = 0, calls = 0;
  const std::thread::id here = std::this_thread::get_id();
  const auto body = [&](size_t) -> Status {
    EXPECT_EQ(std::this_thread::get_id(), here);
    return ++calls == 3 ? Status(Error{Code::failed, ""}) : Status();
  };
  {
    const BorrowedThreads loop([&](size_t calls_left, const std::function<void()>& call) {
      ++loops;
      EXPECT_EQ(calls_left, 8u);
      for (; calls_left > 0; --calls_left) call();
    });
    EXPECT_FALSE(parallel_work(10, 8, body).ok());
    EXPECT_EQ(calls, 3u) << "it skips the rest";
    EXPECT_EQ(loops, 1u);
    const BorrowedThreads alone(nullptr);
    EXPECT_TRUE(parallel_work(10, 8, body).ok());
  }
  EXPECT_EQ(loops, 1u);
  EXPECT_EQ(calls, 13u);
  std::atomic<bool> is_elsewhere = false;
  const auto wait_for_another = [&](size_t) -> Status {
    is_elsewhere = is_elsewhere || std::this_thread::get_id() != here;
    for (int i = 0; i < 10000 && !is_elsewhere; ++i) std::this_thread::yield();
    return {};
  };
  EXPECT_TRUE(parallel_work(100, 2, wait_for_another).ok());
  EXPECT_TRUE(is_elsewhere);
}

}  // namespace
}  // namespace nnrt
