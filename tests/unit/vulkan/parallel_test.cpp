#include "backends/vulkan/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace nnrt::vulkan {
namespace {

TEST(Parallel, DoesEachPieceOnce) {
  std::vector<std::atomic<int>> done(1000);
  EXPECT_TRUE(for_each_parallel(done.size(), [&](size_t i) {
                ++done[i];
                return Status();
              }).ok());
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST(Parallel, NothingIsDoneWithoutWork) {
  EXPECT_TRUE(for_each_parallel(0, [](size_t) { return Status(Error{Code::failed, "Never."}); }).ok());
}

TEST(Parallel, TheFirstFailureIsReturnedAndEndsTheWork) {
  std::atomic<size_t> begun = 0;
  const Status status = for_each_parallel(100000, [&](size_t i) -> Status {
    ++begun;
    if (i < 10) return {};
    return Error{Code::memory, i == 10 ? "First." : "Later."};
  });
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "First.");
  EXPECT_LT(begun, 100u);
}

}  // namespace
}  // namespace nnrt::vulkan
