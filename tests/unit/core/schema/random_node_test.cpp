// Random nodes can be drawn for every row of the operator table, and GraphBuilder agrees with inference on
// them.
#include "tests/support/random/random_node.h"

#include "tests/support/random/describe_node.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <string>

namespace nnrt::test {
namespace {

constexpr size_t kNodes = 60;

class RandomNodes : public testing::TestWithParam<Op> {};

TEST_P(RandomNodes, AreValidModels) {
  size_t refused = 0;
  for (uint32_t seed = 0; seed < test::draws(kNodes); ++seed) {
    const RandomNode node = valid_node(GetParam(), seed, refused);
    const auto graph = graph_of(node);
    ASSERT_TRUE(graph.ok()) << graph.error().message << "\n" << describe(node);
    const auto& diagnosis = graph.value()->nodes[0].diagnosis;
    ASSERT_FALSE(diagnosis) << diagnosis->message << "\n" << describe(node);
  }
  EXPECT_LT(refused, 3 * test::draws(kNodes)) << "Too many draws give no node.";
}

TEST_P(RandomNodes, ComeBackFromTheirSeeds) {
  size_t refused = 0;
  const RandomNode node = valid_node(GetParam(), 7, refused);
  const auto again = draw_node(node.op, node.seed).value();
  EXPECT_EQ(describe(again), describe(node));
  EXPECT_EQ(again.contents, node.contents);
}

INSTANTIATE_TEST_SUITE_P(Operators, RandomNodes, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

}  // namespace
}  // namespace nnrt::test
