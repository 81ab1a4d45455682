#include "backends/vulkan/program/build/program_arena.h"

#include <gtest/gtest.h>

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

// The results of a group have no place in which the group reads.
TEST(ProgramArena, ConcurrentStepsShareNoPlace) {
  for (const bool is_software : {false, true}) {
    DevicePlan plan = gpu();
    plan.is_software = is_software;
    Program program;
    program.steps = {step({buffer(0)}, buffer(1)), step({buffer(1)}, buffer(2)), step({buffer(0)}, buffer(3)),
                     step({buffer(3)}, buffer(4)), step({buffer(2), buffer(4)}, buffer(0))};
    std::vector<ArenaBuffer> buffers;
    for (uint32_t i = 0; i < 5; ++i) buffers.push_back({{Buffer::Space::tensor, i}, 64});
    ASSERT_TRUE(place_arena(program, buffers, plan).ok());
    const auto place = [&](size_t step) { return program.steps[step].regions.back().offset; };
    EXPECT_EQ(program.steps[1].regions[0].offset == program.steps[0].regions[0].offset, !is_software);
    EXPECT_NE(place(0), place(1));
    EXPECT_EQ(program.arena_bytes, is_software ? 4 * 64u : 5 * 64u);
  }
}

}  // namespace
}  // namespace nnrt::vulkan
