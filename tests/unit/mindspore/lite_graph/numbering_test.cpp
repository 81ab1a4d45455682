#include "mindspore/lite_graph/numbering.h"

#include <gtest/gtest.h>

#include <vector>

namespace nnrt::mindspore {
namespace {

// Convolution, pool, addition and softmax.
const std::vector<NodeForm> kOldNodes{{4, 3, 17}, {8, 1, 13}, {21, 2, 1}, {2, 1, 1}};
const std::vector<NodeForm> kNewNodes{{35, 3, 11}, {92, 1, 8}, {5, 2, 1}, {138, 1, 1}};

TEST(Numbering, FitsMostNodes) {
  EXPECT_TRUE(has_old_numbers(kOldNodes, false));
  EXPECT_FALSE(has_old_numbers(kNewNodes, false));
  std::vector<NodeForm> with_unknown = kNewNodes;
  with_unknown.push_back({191, 2, 2});  // Custom
  EXPECT_FALSE(has_old_numbers(with_unknown, false));
}

TEST(Numbering, FollowsVersionOnTie) {
  const std::vector<NodeForm> softmax{{2, 1, 1}};  // or an activation
  EXPECT_TRUE(has_old_numbers(softmax, true));
  EXPECT_FALSE(has_old_numbers(softmax, false));
}

TEST(Numbering, RejectsUnsoundNumbering) {
  std::vector<NodeForm> nodes = kOldNodes;
  for (NodeForm& node : nodes) node.is_sound_if_old = false;
  EXPECT_FALSE(has_old_numbers(nodes, false));
  nodes = kNewNodes;
  for (NodeForm& node : nodes) node.is_sound_if_new = false;
  EXPECT_TRUE(has_old_numbers(nodes, true));
}

}  // namespace
}  // namespace nnrt::mindspore
