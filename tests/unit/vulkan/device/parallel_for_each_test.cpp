#include "backends/vulkan/device/parallel_for_each.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>

namespace nnrt::vulkan {
namespace {

TEST(ForEachParallel, DoesEachPieceOnce) {
  std::atomic<int> done[100] = {};
  const Status status = for_each_parallel(100, [&](size_t i) {
    ++done[i];
    return Status();
  });
  EXPECT_TRUE(status.ok());
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST(ForEachParallel, AnswersTheErrorOfTheLowestPiece) {
  const Status status = for_each_parallel(100, [](size_t i) -> Status {
    return Error{Code::failed, std::to_string(i)};
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "0");
}

// The process survives, whichever thread throws.
TEST(ForEachParallel, ExceptionsBecomeErrors) {
  for (int round = 0; round < 50; ++round) {
    const Status status = for_each_parallel(4, [](size_t) -> Status {
      std::this_thread::yield();
      throw std::bad_alloc();
    });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, Code::memory);
  }
  const Status status = for_each_parallel(4, [](size_t) -> Status { throw std::runtime_error("no"); });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::failed);
  EXPECT_EQ(status.error().message, "no");
}

}  // namespace
}  // namespace nnrt::vulkan
