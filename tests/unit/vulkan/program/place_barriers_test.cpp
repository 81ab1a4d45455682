#include "backends/vulkan/program/place_barriers.h"

#include <gtest/gtest.h>

#include <random>

namespace nnrt::vulkan {
namespace {

constexpr Access kReads{true, false}, kWrites{false, true};

BufferRegion arena(uint64_t offset, uint64_t bytes) { return {BufferRegion::Kind::arena, 0, offset, bytes}; }
BufferRegion edge(uint32_t index) { return {BufferRegion::Kind::edge, index, 0, 64}; }

Step step(const BufferRegion& from, const BufferRegion& to) {
  return {Fill{}, {from, to}, {kReads, kWrites}};
}

std::vector<bool> barriers_of(std::vector<Step> steps) {
  insert_barriers(steps, DevicePlan{});
  std::vector<bool> barriers;
  for (const Step& s : steps) barriers.push_back(s.barrier);
  return barriers;
}

using Barriers = std::vector<bool>;

TEST(Barriers, NoneBetweenIndependentSteps) {
  EXPECT_EQ(barriers_of({step(edge(0), arena(0, 64)), step(edge(0), arena(64, 64))}),
            (Barriers{false, false}));
}

TEST(Barriers, ReadAfterWrite) {
  EXPECT_EQ(barriers_of({step(edge(0), arena(0, 64)), step(arena(0, 64), edge(1))}), (Barriers{false, true}));
}

TEST(Barriers, WriteAfterRead) {
  EXPECT_EQ(barriers_of({step(arena(0, 64), edge(1)), step(edge(0), arena(0, 64))}), (Barriers{false, true}));
}

TEST(Barriers, BeforeWritingAgain) {
  EXPECT_EQ(barriers_of({step(edge(0), edge(1)), step(edge(0), edge(1))}), (Barriers{false, true}));
}

TEST(Barriers, BetweenAliasedTensors) {
  EXPECT_EQ(barriers_of({step(arena(0, 64), arena(64, 64)), step(edge(0), arena(124, 64))}),
            (Barriers{false, true}));
}

TEST(Barriers, BeforeWritingLengthenedView) {
  ShaderModule shader;
  const BindingKind kinds[] = {BindingKind::texels, BindingKind::storage};
  shader.shader.kinds = kinds;
  Pipeline pipeline;
  pipeline.shader = &shader;
  Step reads = step(arena(0, 64), edge(0));
  reads.pipeline = {std::shared_ptr<void>(), &pipeline};
  DevicePlan longer;
  longer.views_by_size = true;
  for (const auto& [plan, barrier] : {std::pair{DevicePlan{}, false}, std::pair{longer, true}}) {
    std::vector<Step> steps{reads, step(edge(1), arena(64, 64))};
    insert_barriers(steps, plan);
    EXPECT_EQ(steps[1].barrier, barrier);
  }
}

TEST(Barriers, OneServesAllStepsBeforeIt) {
  EXPECT_EQ(barriers_of({step(edge(0), arena(0, 64)), step(edge(0), arena(64, 64)),
                         step(arena(0, 64), edge(1)), step(arena(64, 64), edge(2))}),
            (Barriers{false, false, true, false}));
}

TEST(Barriers, NoneForReadingTogether) {
  EXPECT_EQ(barriers_of({step(edge(0), edge(1)), step(edge(0), edge(2))}), (Barriers{false, false}));
}

// There is a barrier between any two dependent steps, and none without reason.
TEST(Barriers, OnlyBetweenOverlappingSteps) {
  std::mt19937 random(5);
  const auto touches = [](const Step& step, const BufferRegion& region, bool writes) {
    for (size_t i = 0; i < step.regions.size(); ++i) {
      if (step.access[i].writes >= writes && overlap(step.regions[i], region)) return true;
    }
    return false;
  };
  for (int round = 0; round < 50; ++round) {
    std::vector<Step> steps;
    for (int i = 0; i < 60; ++i) {
      const auto region = [&] {
        return random() % 4 == 0 ? edge(uint32_t(random() % 3))
                                 : arena(16 * (random() % 200), 16 * (1 + random() % 6));
      };
      steps.push_back(step(region(), region()));
    }
    insert_barriers(steps, DevicePlan{});
    size_t since = 0;  // position of the last barrier
    for (size_t i = 0; i < steps.size(); ++i) {
      bool is_needed = false;
      for (size_t k = since; k < i; ++k)
        is_needed = is_needed || touches(steps[k], steps[i].regions[0], true) ||
                    touches(steps[k], steps[i].regions[1], false);
      ASSERT_EQ(steps[i].barrier, is_needed) << i;
      if (is_needed) since = i;
    }
  }
}

}  // namespace
}  // namespace nnrt::vulkan
