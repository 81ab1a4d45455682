#include "backends/vulkan/device/loop_limit.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

TEST(LoopLimit, CountsLoopConditions) {
  EXPECT_EQ(loop_of(0), 1u);
  EXPECT_EQ(loop_of(10), 11u);
  EXPECT_EQ(loop_of(10, loop_of(5)), 10u * 7 + 1);
  EXPECT_EQ(loop_by(10, 4), 4u);
  EXPECT_EQ(loop_by(10, 0), 1u);
}

TEST(LoopLimit, SaturatesOnOverflow) {
  const uint64_t many = loop_of(uint64_t{1} << 40, loop_of(uint64_t{1} << 40));
  EXPECT_GT(many, uint64_t{1} << 60);
  EXPECT_GT(loop_of(many, many) + loop_of(many), uint64_t{1} << 60);
}

TEST(LoopLimit, AllowsMinimalIterations) {
  DevicePlan plan;
  EXPECT_FALSE(exceeds_loop_limit(uint64_t{1} << 60, plan));
  plan.max_loop_iterations = 65535;
  EXPECT_FALSE(exceeds_loop_limit(65535 - kConstantIterations, plan));
  EXPECT_TRUE(exceeds_loop_limit(65536 - kConstantIterations, plan));
}

}  // namespace
}  // namespace nnrt::vulkan
