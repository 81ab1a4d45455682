#include "core/memory/parallel_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <string>
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

}  // namespace
}  // namespace nnrt
