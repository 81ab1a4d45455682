#include "core/base/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace nnrt {
namespace {

TEST(MemoryPlan, SharesMemoryOfDisjointLifetimes) {
  const std::vector<Lifetime> lifetimes{{100, 0, 1}, {100, 2, 3}};
  const MemoryPlan plan = plan_memory(lifetimes, 1);
  EXPECT_EQ(plan.bytes, 100u);
  EXPECT_EQ(plan.offsets, (std::vector<size_t>{0, 0}));
}

TEST(MemoryPlan, SeparatesTensorsOfOneStep) {
  const std::vector<Lifetime> lifetimes{{100, 0, 1}, {100, 1, 2}};
  EXPECT_EQ(plan_memory(lifetimes, 1).bytes, 200u);
}

TEST(MemoryPlan, FillsTheLowestGap) {
  const std::vector<Lifetime> lifetimes{{64, 0, 3}, {32, 0, 1}, {48, 0, 3}, {32, 2, 3}};
  EXPECT_EQ(plan_memory(lifetimes, 1).bytes, 64u + 48u + 32u);
}

TEST(MemoryPlan, AlignsOffsetsAndGivesEmptyTensorsNoRoom) {
  const std::vector<Lifetime> lifetimes{{7, 0, 5}, {0, 0, 5}, {7, 0, 5}};
  const MemoryPlan plan = plan_memory(lifetimes, 256);
  EXPECT_EQ(plan.bytes, 512u);
  EXPECT_EQ(plan.offsets[0] % 256, 0u);
  EXPECT_EQ(plan.offsets[2] % 256, 0u);
}

TEST(MemoryPlan, OfNothingIsEmpty) { EXPECT_EQ(plan_memory({}, 64).bytes, 0u); }

TEST(MemoryPlan, LowerBoundIsPeakLiveBytes) {
  const std::vector<Lifetime> lifetimes{{7, 0, 1}, {9, 1, 2}, {100, 3, 3}};
  EXPECT_EQ(arena_lower_bound(lifetimes, 1), 100u);
  EXPECT_EQ(arena_lower_bound(std::span(lifetimes).first(2), 8), 8u + 16u);
  EXPECT_EQ(arena_lower_bound({}, 8), 0u);
}

// Largest first would place the long one above both others.
TEST(MemoryPlan, TriesMoreThanOneOrder) {
  const std::vector<Lifetime> lifetimes{{10, 0, 1}, {6, 1, 3}, {10, 3, 4}, {4, 0, 2}, {4, 2, 4}};
  EXPECT_EQ(plan_memory(lifetimes, 1).bytes, arena_lower_bound(lifetimes, 1));
}

TEST(MemoryPlan, IsNearTheLeastArena) {
  std::mt19937 random(3);
  double excess = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 60; ++i) {
      const auto first = static_cast<uint32_t>(random() % 60);
      lifetimes.push_back({1 + random() % 100, first, first + static_cast<uint32_t>(random() % 6)});
    }
    const size_t min = arena_lower_bound(lifetimes, 1), planned = plan_memory(lifetimes, 1).bytes;
    ASSERT_GE(planned, min);
    excess += double(planned) / double(min) - 1;
  }
  EXPECT_LT(excess / kRounds, 0.05);
}

TEST(MemoryPlan, SeparatesOverlappingLifetimes) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lifetimes;
    for (int i = 0; i < 40; ++i) {
      const auto first = static_cast<uint32_t>(random() % 50);
      lifetimes.push_back({random() % 1000, first, first + static_cast<uint32_t>(random() % 10)});
    }
    const MemoryPlan plan = plan_memory(lifetimes, 16);
    for (size_t a = 0; a < lifetimes.size(); ++a) {
      ASSERT_LE(plan.offsets[a] + lifetimes[a].bytes, plan.bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool together =
            lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
        const bool apart = plan.offsets[a] + lifetimes[a].bytes <= plan.offsets[b] ||
                           plan.offsets[b] + lifetimes[b].bytes <= plan.offsets[a];
        ASSERT_TRUE(!together || apart || lifetimes[a].bytes == 0 || lifetimes[b].bytes == 0);
      }
    }
  }
}

// With this many, not all pairs are compared.
TEST(MemoryPlan, OfManyTensorsIsNearTheLeastArena) {
  std::mt19937 random(11);
  for (const uint32_t longest : {3u, 300u}) {
    std::vector<Lifetime> lifetimes;
    for (uint32_t i = 0; i < 20'000; ++i)
      lifetimes.push_back({1 + random() % 1000, i, i + uint32_t(random() % longest)});
    const MemoryPlan plan = plan_memory(lifetimes, 16);
    EXPECT_LT(double(plan.bytes), 1.3 * double(arena_lower_bound(lifetimes, 16)));
    for (size_t a = 0; a < lifetimes.size(); ++a) {
      ASSERT_EQ(plan.offsets[a] % 16, 0u);
      ASSERT_LE(plan.offsets[a] + lifetimes[a].bytes, plan.bytes);
      for (size_t b = a + 1; b < lifetimes.size() && lifetimes[b].first <= lifetimes[a].last; ++b) {
        ASSERT_TRUE(plan.offsets[a] + lifetimes[a].bytes <= plan.offsets[b] ||
                    plan.offsets[b] + lifetimes[b].bytes <= plan.offsets[a])
            << a << " and " << b;
      }
    }
  }
}

}  // namespace
}  // namespace nnrt
