#include "backends/vulkan/program/concurrent_steps.h"

#include "backends/vulkan/program/place_barriers.h"
#include "tests/unit/vulkan/program/program_maker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nnrt::vulkan {
namespace {

BufferRegion part(uint32_t number, uint32_t part) {
  BufferRegion region = whole_buffer(number);
  region.part = {number, part};
  return region;
}

using Groups = std::vector<std::vector<uint32_t>>;

TEST(ConcurrentSteps, BranchesStandSideBySide) {
  const std::vector<Step> steps{
      dispatch_step({whole_buffer(0)}, whole_buffer(1)), dispatch_step({whole_buffer(1)}, whole_buffer(2)),
      dispatch_step({whole_buffer(0)}, whole_buffer(3)), dispatch_step({whole_buffer(3)}, whole_buffer(4)),
      dispatch_step({whole_buffer(2), whole_buffer(4)}, whole_buffer(5))};
  EXPECT_EQ(concurrent_groups(steps, four_cores()), (Groups{{0, 2}, {1, 3}, {4}}));
}

TEST(ConcurrentSteps, AChainStaysAsItIs) {
  const std::vector<Step> steps{dispatch_step({whole_buffer(0)}, whole_buffer(1)),
                                dispatch_step({whole_buffer(1)}, whole_buffer(2)),
                                dispatch_step({whole_buffer(2)}, whole_buffer(3))};
  EXPECT_EQ(concurrent_groups(steps, four_cores()), (Groups{{0}, {1}, {2}}));
}

TEST(ConcurrentSteps, RespectDependencies) {
  const std::vector<Step> steps{dispatch_step({whole_buffer(0)}, whole_buffer(1)),
                                dispatch_step({whole_buffer(1), whole_buffer(2)}, whole_buffer(3)),
                                dispatch_step({whole_buffer(0)}, whole_buffer(2))};
  EXPECT_EQ(concurrent_groups(steps, four_cores()), (Groups{{0}, {1}, {2}}));
}

TEST(ConcurrentSteps, OverlapDisjointWrites) {
  const std::vector<Step> steps{
      dispatch_step({whole_buffer(0)}, part(1, 1)), dispatch_step({whole_buffer(0)}, part(1, 2)),
      dispatch_step({whole_buffer(0)}, part(1, 1)), dispatch_step({whole_buffer(1)}, whole_buffer(2))};
  EXPECT_EQ(concurrent_groups(steps, four_cores()), (Groups{{0, 1}, {2}, {3}}));
}

TEST(ConcurrentSteps, OrderPartialAfterWholeAccess) {
  Step reads_too = dispatch_step({whole_buffer(0)}, part(1, 2));
  reads_too.access.back().reads = true;
  const std::vector<Step> steps{dispatch_step({whole_buffer(0)}, part(1, 1)), reads_too,
                                dispatch_step({whole_buffer(0)}, whole_buffer(1))};
  EXPECT_EQ(concurrent_groups(steps, four_cores()), (Groups{{0}, {1}, {2}}));
}

TEST(ConcurrentSteps, LeaveLargeStepsInPlace) {
  const DevicePlan plan = four_cores();
  const auto enough = uint32_t(invocations_at_once(plan) / 64);
  for (const uint32_t groups : {enough, enough - 1}) {
    const std::vector<Step> steps{dispatch_step({whole_buffer(0)}, whole_buffer(1)),
                                  dispatch_step({whole_buffer(1)}, whole_buffer(2)),
                                  dispatch_step({whole_buffer(0)}, whole_buffer(3), groups)};
    const Groups expected = groups == enough ? Groups{{0}, {1, 2}} : Groups{{0, 2}, {1}};
    EXPECT_EQ(concurrent_groups(steps, plan), expected) << groups;
  }
}

// Dependent steps keep their order and are in different groups.
TEST(ConcurrentSteps, KeepDependencies) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<Step> steps;
    for (int i = 0; i < 80; ++i) {
      const auto any = [&] { return whole_buffer(uint32_t(random() % 30)); };
      const auto number = uint32_t(random() % 30);
      const BufferRegion to =
          random() % 3 == 0 ? part(number, 1 + uint32_t(random() % 3)) : whole_buffer(number);
      steps.push_back(dispatch_step({any(), any()}, to, random() % 4 == 0 ? 1000 : 1));
    }
    std::vector<uint32_t> group_of(steps.size(), ~0u);
    const Groups groups = concurrent_groups(steps, four_cores());
    for (uint32_t g = 0; g < groups.size(); ++g)
      for (const uint32_t number : groups[g]) group_of[number] = g;
    const DevicePlan plan = four_cores();
    for (size_t earlier = 0; earlier < steps.size(); ++earlier) {
      ASSERT_NE(group_of[earlier], ~0u);
      TouchedRegions touched(plan);
      touched.add(steps[earlier]);
      for (size_t later = earlier + 1; later < steps.size(); ++later) {
        const bool has_order = touched.must_precede(steps[later]);
        ASSERT_TRUE(!has_order || group_of[earlier] < group_of[later]) << earlier << " and " << later;
      }
    }
  }
}

}  // namespace
}  // namespace nnrt::vulkan
