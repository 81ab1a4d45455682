// Core validates nodes: whatever core and supports() accept can be lowered.
#include "backends/vulkan/program/build/program_builder.h"
#include "backends/vulkan/program/node_support.h"
#include "backends/vulkan/program/vulkan_program.h"
#include "core/passes/inferred_ranks.h"
#include "tests/support/random/corrupted_node.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace nnrt::vulkan {
namespace {

constexpr uint32_t kSeeds = 60;

DevicePlan usual_plan(Shaders shaders) {
  DevicePlan plan;
  plan.storage_alignment = 16;
  plan.max_storage_range = 1 << 27;
  plan.max_texels = 1 << 27;
  plan.max_allocation = 1 << 30;
  plan.max_group_invocations = 256;
  plan.max_group_size = {256, 256, 64};
  plan.max_group_count = {65535, 65535, 65535};
  plan.max_shared_bytes = 32768;
  plan.shaders = shaders;
  return plan;
}

class CorruptedNodes : public testing::TestWithParam<Op> {
 protected:
  static void TearDownTestSuite() {
    std::cout << lowered_ << " times a bent node was lowered; " << refused_ << " times one was refused.\n";
  }

  static inline size_t lowered_ = 0, refused_ = 0;
};

TEST_P(CorruptedNodes, SupportedOnesAreLowered) {
  for (uint32_t seed = 1; seed <= test::draws(kSeeds); ++seed) {
    const test::RandomNode node = test::corrupted_node(GetParam(), seed);
    const GraphPtr graph = test::sensible_graph_of(node);
    if (graph == nullptr) continue;
    for (const Shaders shaders : {Shaders::optimized, Shaders::fast_compile}) {
      const DevicePlan plan = usual_plan(shaders);
      const auto refusals = node_refusals(*graph, plan);
      if (std::ranges::any_of(refusals, [](const Refusal& refusal) { return refusal.has_value(); })) {
        ++refused_;
        continue;
      }
      ++lowered_;
      Constants constants(plan);
      const Graph ranked = with_inferred_ranks(*graph);
      const auto program = build_program(ranked, ranked.shapes, plan, constants);
      EXPECT_TRUE(program.ok()) << program.error().message << "\n" << describe(node);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, CorruptedNodes, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

}  // namespace
}  // namespace nnrt::vulkan
