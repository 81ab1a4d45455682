#include "backends/vulkan/barriers.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

constexpr Access kReads{true, false}, kWrites{false, true};

Region arena(uint64_t offset, uint64_t bytes) { return {Region::Home::arena, 0, offset, bytes}; }
Region edge(uint32_t index) { return {Region::Home::edge, index, 0, 64}; }

Step step(const Region& from, const Region& to) { return {Fill{}, {from, to}, {kReads, kWrites}}; }

std::vector<bool> barriers_of(std::vector<Step> steps) {
  place_barriers(steps, DevicePlan{});
  std::vector<bool> barriers;
  for (const Step& s : steps) barriers.push_back(s.barrier);
  return barriers;
}

using Barriers = std::vector<bool>;

TEST(Barriers, NoneBetweenIndependentSteps) {
  EXPECT_EQ(barriers_of({step(edge(0), arena(0, 64)), step(edge(0), arena(64, 64))}),
            (Barriers{false, false}));
}

TEST(Barriers, BeforeReadingWhatWasWritten) {
  EXPECT_EQ(barriers_of({step(edge(0), arena(0, 64)), step(arena(0, 64), edge(1))}), (Barriers{false, true}));
}

TEST(Barriers, BeforeWritingWhatWasRead) {
  EXPECT_EQ(barriers_of({step(arena(0, 64), edge(1)), step(edge(0), arena(0, 64))}), (Barriers{false, true}));
}

TEST(Barriers, BeforeWritingAgain) {
  EXPECT_EQ(barriers_of({step(edge(0), edge(1)), step(edge(0), edge(1))}), (Barriers{false, true}));
}

TEST(Barriers, BetweenTensorsThatShareBytesOfTheArena) {
  EXPECT_EQ(barriers_of({step(arena(0, 64), arena(64, 64)), step(edge(0), arena(124, 64))}),
            (Barriers{false, true}));
}

TEST(Barriers, BeforeWritingWhatALongerViewShows) {
  ShaderModule shader;
  shader.shader.kinds = {BindingKind::texels, BindingKind::storage};
  Pipeline pipeline;
  pipeline.shader = &shader;
  Step reads = step(arena(0, 64), edge(0));
  reads.pipeline = &pipeline;
  DevicePlan longer;
  longer.views_by_size = true;
  for (const auto& [plan, barrier] : {std::pair{DevicePlan{}, false}, std::pair{longer, true}}) {
    std::vector<Step> steps{reads, step(edge(1), arena(64, 64))};
    place_barriers(steps, plan);
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

}  // namespace
}  // namespace nnrt::vulkan
