// Only core validates nodes: whatever core accepts runs on the CPU device, which supports all operators.
#include "backends/cpu/engine/cpu_device.h"
#include "tests/device/guarded_run.h"
#include "tests/support/random/corrupted_node.h"
#include "tests/support/random/describe_node.h"
#include "tests/support/random/random_node_draft.h"
#include "tests/support/test_settings.h"

#include <gtest/gtest.h>

#include <iostream>

namespace nnrt::cpu {
namespace {

constexpr uint32_t kSeeds = 200;

class CorruptedNodes : public testing::TestWithParam<Op> {
 protected:
  static void TearDownTestSuite() {
    std::cout << ran_ << " of " << drawn_ << " bent nodes make sense, and ran.\n";
  }

  static inline size_t drawn_ = 0, ran_ = 0;
};

TEST_P(CorruptedNodes, ValidOnesRun) {
  const auto device = make_device();
  for (uint32_t seed = 1; seed <= test::draws(kSeeds); ++seed) {
    const test::RandomNode node = test::corrupted_node(GetParam(), seed);
    const GraphPtr graph = test::sensible_graph_of(node);
    ++drawn_;
    if (graph == nullptr) continue;
    ++ran_;
    for (const Refusal& refusal : refusals_of(*device, *graph, {}))
      EXPECT_FALSE(refusal) << *refusal << "\n" << describe(node);
    std::vector<Bytes> fed;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!node.inputs[i].is_constant()) fed.push_back(node.contents[i]);
    }
    if (fed.empty()) fed.emplace_back(sizeof(float));
    test::Random random(seed);
    const auto outputs = test::run_guarded(*device, graph, fed, random, true);
    EXPECT_TRUE(outputs.ok() || test::may_fail(node.op)) << outputs.error().message << "\n" << describe(node);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, CorruptedNodes, testing::ValuesIn(kOperators),
                         [](const auto& test) { return std::string(short_name(test.param)); });

}  // namespace
}  // namespace nnrt::cpu
