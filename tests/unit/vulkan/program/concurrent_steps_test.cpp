#include "backends/vulkan/program/concurrent_steps.h"

#include "backends/vulkan/program/place_barriers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nnrt::vulkan {
namespace {

constexpr Access kReads{true, false}, kWrites{false, true};

DevicePlan gpu() {
  DevicePlan plan;
  plan.processors = 4;
  return plan;
}

// All of a buffer of the arena, as before it is placed.
BufferRegion buffer(uint32_t number) { return {BufferRegion::Home::arena, number, 0, 64}; }
BufferRegion part(uint32_t number, uint32_t part) {
  BufferRegion region = buffer(number);
  region.part = {number, part};
  return region;
}

// A dispatch of so many workgroups of 64 invocations.
Step step(std::vector<BufferRegion> from, const BufferRegion& to, uint32_t groups = 1) {
  Dispatch dispatch;
  dispatch.shader = "unary_f32";
  Step made{std::move(dispatch), std::move(from), {}};
  made.access.assign(made.regions.size(), kReads);
  made.regions.push_back(to);
  made.access.push_back(kWrites);
  made.groups = {groups, 1, 1};
  return made;
}

using Groups = std::vector<std::vector<uint32_t>>;

TEST(ConcurrentSteps, BranchesStandSideBySide) {
  const std::vector<Step> steps{step({buffer(0)}, buffer(1)), step({buffer(1)}, buffer(2)),
                                step({buffer(0)}, buffer(3)), step({buffer(3)}, buffer(4)),
                                step({buffer(2), buffer(4)}, buffer(5))};
  EXPECT_EQ(concurrent_groups(steps, gpu()), (Groups{{0, 2}, {1, 3}, {4}}));
}

TEST(ConcurrentSteps, AChainStaysAsItIs) {
  const std::vector<Step> steps{step({buffer(0)}, buffer(1)), step({buffer(1)}, buffer(2)),
                                step({buffer(2)}, buffer(3))};
  EXPECT_EQ(concurrent_groups(steps, gpu()), (Groups{{0}, {1}, {2}}));
}

TEST(ConcurrentSteps, NoneIsMovedPastOneThatReadsWhatItWrites) {
  const std::vector<Step> steps{step({buffer(0)}, buffer(1)), step({buffer(1), buffer(2)}, buffer(3)),
                                step({buffer(0)}, buffer(2))};
  EXPECT_EQ(concurrent_groups(steps, gpu()), (Groups{{0}, {1}, {2}}));
}

TEST(ConcurrentSteps, PartsOfATensorAreWrittenTogetherAndReadAfterwards) {
  const std::vector<Step> steps{step({buffer(0)}, part(1, 1)), step({buffer(0)}, part(1, 2)),
                                step({buffer(0)}, part(1, 1)), step({buffer(1)}, buffer(2))};
  EXPECT_EQ(concurrent_groups(steps, gpu()), (Groups{{0, 1}, {2}, {3}}));
}

TEST(ConcurrentSteps, PartsAreNotApartFromWhatWritesAllOrReads) {
  Step reads_too = step({buffer(0)}, part(1, 2));
  reads_too.access.back().reads = true;
  const std::vector<Step> steps{step({buffer(0)}, part(1, 1)), reads_too, step({buffer(0)}, buffer(1))};
  EXPECT_EQ(concurrent_groups(steps, gpu()), (Groups{{0}, {1}, {2}}));
}

TEST(ConcurrentSteps, WhatFillsTheDeviceIsNotMoved) {
  const DevicePlan plan = gpu();
  const auto enough = uint32_t(invocations_at_once(plan) / 64);
  for (const uint32_t groups : {enough, enough - 1}) {
    const std::vector<Step> steps{step({buffer(0)}, buffer(1)), step({buffer(1)}, buffer(2)),
                                  step({buffer(0)}, buffer(3), groups)};
    const Groups expected = groups == enough ? Groups{{0}, {1, 2}} : Groups{{0, 2}, {1}};
    EXPECT_EQ(concurrent_groups(steps, plan), expected) << groups;
  }
}

// Any two steps that need an order keep it, and are in groups of their own.
TEST(ConcurrentSteps, KeepTheOrderOfAllThatNeedOne) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<Step> steps;
    for (int i = 0; i < 80; ++i) {
      const auto any = [&] { return buffer(uint32_t(random() % 30)); };
      const auto number = uint32_t(random() % 30);
      const BufferRegion to = random() % 3 == 0 ? part(number, 1 + uint32_t(random() % 3)) : buffer(number);
      steps.push_back(step({any(), any()}, to, random() % 4 == 0 ? 1000 : 1));
    }
    std::vector<uint32_t> group_of(steps.size(), ~0u);
    const Groups groups = concurrent_groups(steps, gpu());
    for (uint32_t g = 0; g < groups.size(); ++g)
      for (const uint32_t number : groups[g]) group_of[number] = g;
    for (size_t later = 0; later < steps.size(); ++later) {
      ASSERT_NE(group_of[later], ~0u);
      for (size_t earlier = 0; earlier < later; ++earlier) {
        const DevicePlan plan = gpu();
        TouchedRegions touched(plan);
        touched.add(steps[earlier]);
        const bool has_order = touched.must_precede(steps[later]);
        ASSERT_TRUE(!has_order || group_of[earlier] < group_of[later]) << earlier << " and " << later;
      }
    }
  }
}

}  // namespace
}  // namespace nnrt::vulkan
