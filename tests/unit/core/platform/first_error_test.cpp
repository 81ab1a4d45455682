#include "core/platform/first_error.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace nnrt {
namespace {

TEST(FirstError, NoneIsSuccess) { EXPECT_TRUE(FirstError().take().ok()); }

TEST(FirstError, LowestIndexWins) {
  FirstError error;
  error.add(2, {Code::failed, "two"});
  error.add(1, {Code::memory, "one"});
  error.add(3, {Code::failed, "three"});
  const Status status = error.take();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, Code::memory);
  EXPECT_EQ(status.error().message, "one");
}

TEST(FirstError, ThreadsAddConcurrently) {
  FirstError error;
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&error, t] {
        for (size_t i = 100; i-- > 0;) error.add(4 * i + t, {Code::failed, std::to_string(4 * i + t)});
      });
    }
  }
  EXPECT_EQ(error.take().error().message, "0");
}

}  // namespace
}  // namespace nnrt
