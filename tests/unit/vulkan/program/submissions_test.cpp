#include "backends/vulkan/program/submissions.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

using Ends = std::vector<size_t>;

// Nodes of 10 us in one step each; node `twice` has two steps.
Program chain(size_t nodes, NodeId twice = kNoNode) {
  test::GraphMaker maker;
  TensorId x = maker.input({5});
  for (size_t i = 0; i < nodes; ++i) x = maker.op(Op::relu, {x}, {5});
  Program program;
  program.graph = maker.finish({x});
  program.shapes = program.graph->shapes;
  for (NodeId node = 0; node < nodes; ++node) {
    for (int i = 0; i < (node == twice ? 2 : 1); ++i) program.steps.emplace_back().node = node;
  }
  return program;
}

DevicePlan plan_of(double submission_us) {
  DevicePlan plan;
  plan.costs.node_us = 10;
  plan.queue.submission_us = submission_us;
  return plan;
}

TEST(Submissions, FillToLimit) {
  EXPECT_EQ(submission_ends(chain(5), plan_of(50)), (Ends{5}));
  EXPECT_EQ(submission_ends(chain(5), plan_of(20)), (Ends{2, 4, 5}));
}

TEST(Submissions, HaveAtLeastOneStep) { EXPECT_EQ(submission_ends(chain(3), plan_of(1)), (Ends{1, 2, 3})); }

TEST(Submissions, CountANodeOnce) { EXPECT_EQ(submission_ends(chain(3, 1), plan_of(20)), (Ends{3, 4})); }

TEST(Submissions, EmptyProgramIsOneSubmission) {
  Program program = chain(1);
  program.steps.clear();
  EXPECT_EQ(submission_ends(program, plan_of(20)), (Ends{0}));
}

}  // namespace
}  // namespace nnrt::vulkan
