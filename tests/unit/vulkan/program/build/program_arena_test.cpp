#include "backends/vulkan/program/build/program_arena.h"

#include "tests/unit/vulkan/program/program_maker.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

// A group's results do not overlap its inputs.
TEST(ProgramArena, ConcurrentStepsShareNoPlace) {
  for (const bool is_software : {false, true}) {
    DevicePlan plan = four_cores();
    plan.is_software = is_software;
    Program program;
    program.steps = {
        dispatch_step({whole_buffer(0)}, whole_buffer(1)), dispatch_step({whole_buffer(1)}, whole_buffer(2)),
        dispatch_step({whole_buffer(0)}, whole_buffer(3)), dispatch_step({whole_buffer(3)}, whole_buffer(4)),
        dispatch_step({whole_buffer(2), whole_buffer(4)}, whole_buffer(0))};
    std::vector<ArenaBuffer> buffers;
    for (uint32_t i = 0; i < 5; ++i) buffers.push_back({{Buffer::Space::tensor, i}, 64});
    ASSERT_TRUE(place_arena(program, buffers, plan).ok());
    const auto place = [&](size_t step) { return program.steps[step].regions.back().offset; };
    EXPECT_EQ(program.steps[1].regions[0].offset == program.steps[0].regions[0].offset, !is_software);
    EXPECT_NE(place(0), place(1));
    EXPECT_EQ(program.arena_bytes, is_software ? 4 * 64u : 5 * 64u);
  }
}

TEST(ProgramArena, RefusesUnknownBindings) {
  Program program;
  program.steps = {dispatch_step({whole_buffer(0)}, whole_buffer(1))};
  program.steps[0].regions.push_back(whole_buffer(2));
  const std::vector<ArenaBuffer> buffers(3, {{Buffer::Space::tensor, 0}, 64});
  EXPECT_EQ(place_arena(program, buffers, four_cores()).error().message,
            "A dispatch of shader 'unary_f32' has 3 buffers instead of 2.");
}

}  // namespace
}  // namespace nnrt::vulkan
