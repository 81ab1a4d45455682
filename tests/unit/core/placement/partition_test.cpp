#include "core/placement/partition.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <random>

namespace nnrt {
namespace {

GraphPtr chain(int length) {
  test::GraphMaker make;
  TensorId x = make.input({7});
  for (int i = 0; i < length; ++i) x = make.op(Op::relu, {x}, {7});
  return make.finish({x});
}

TEST(Partition, OfOneOwnerIsOnePiece) {
  const GraphPtr graph = chain(5);
  const std::vector<Partition> parts = partition(*graph, std::vector<size_t>(5, 0));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].nodes, (std::vector<NodeId>{0, 1, 2, 3, 4}));
}

TEST(Partition, CutsChainsAtOwnerChanges) {
  const std::vector<Partition> parts = partition(*chain(5), std::vector<size_t>{0, 0, 1, 0, 0});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].nodes, (std::vector<NodeId>{0, 1}));
  EXPECT_EQ(parts[1].nodes, (std::vector<NodeId>{2}));
  EXPECT_EQ(parts[2].nodes, (std::vector<NodeId>{3, 4}));
}

// Two branches of three nodes, with the middle one elsewhere: three partitions, not six.
TEST(Partition, GathersIndependentBranches) {
  test::GraphMaker make;
  const TensorId x = make.input({7});
  std::vector<TensorId> ends;
  for (int branch = 0; branch < 2; ++branch) {
    TensorId y = x;
    for (int i = 0; i < 3; ++i) y = make.op(Op::relu, {y}, {7});
    ends.push_back(y);
  }
  const GraphPtr graph = make.finish(ends);
  EXPECT_EQ(partition(*graph, std::vector<size_t>{0, 1, 0, 0, 1, 0}).size(), 3u);
}

TEST(Partition, ContainsEachNodeInOrder) {
  std::mt19937 random(11);
  for (int round = 0; round < 50; ++round) {
    test::GraphMaker make;
    std::vector<TensorId> tensors{make.input({7}), make.input({7})};
    for (int i = 0; i < 60; ++i) {
      const auto any = [&] { return tensors[random() % tensors.size()]; };
      tensors.push_back(make.op(Op::add, {any(), any()}, {7}));
    }
    const GraphPtr graph = make.finish({tensors.back()});
    std::vector<size_t> owners(graph->nodes.size());
    for (size_t& owner : owners) owner = random() % 3;

    std::vector<bool> known(graph->tensors.size(), false);
    for (const TensorId id : graph->inputs) known[id] = true;
    size_t count = 0;
    for (const Partition& part : partition(*graph, owners)) {
      for (const NodeId node : part.nodes) {
        ASSERT_EQ(owners[node], part.owner);
        for (const TensorId id : graph->nodes[node].inputs) ASSERT_TRUE(known[id]);
        for (const TensorId id : graph->nodes[node].outputs) known[id] = true;
        ++count;
      }
    }
    ASSERT_EQ(count, graph->nodes.size());
  }
}

}  // namespace
}  // namespace nnrt
