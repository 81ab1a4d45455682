// Groups: their size, that no path enters one twice, and what devices decline.
#include "tests/frameworks/onnxruntime/plain_graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt::ep {
namespace {

std::vector<Group> groups(HostGraphMaker& maker, const std::set<int>& left, const std::set<int>& cuts = {}) {
  std::vector<bool> candidates(maker.graph().nodes.size(), true);
  for (const int position : left) candidates[static_cast<size_t>(position)] = false;
  return groups_of(maker.graph(), candidates, cuts);
}

HostGraphMaker chain(int length) {
  HostGraphMaker maker;
  maker.input("v0", {4});
  for (int i = 0; i < length; ++i)
    maker.node("Relu", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  return std::move(maker.output("v" + std::to_string(length)));
}

TEST(Groups, AChainIsOne) {
  HostGraphMaker maker = chain(4);
  EXPECT_EQ(groups(maker, {}), (std::vector<Group>{{0, 1, 2, 3}}));
}

TEST(Groups, ANodeInTheMiddleDividesAChain) {
  HostGraphMaker maker = chain(5);
  EXPECT_EQ(groups(maker, {2}), (std::vector<Group>{{0, 1}, {3, 4}}));
}

TEST(Groups, IgnoreUnsupportedNodesAtStart) {
  HostGraphMaker maker;
  maker.input("x", {4}).node("Relu", {"x"}, {"a"}).node("Left", {"x"}, {"b"}).node("Add", {"a", "b"}, {"y"});
  EXPECT_EQ(groups(maker, {1}), (std::vector<Group>{{0, 2}}));
}

TEST(Groups, AreConvex) {
  HostGraphMaker maker;
  maker.input("x", {4}).node("Relu", {"x"}, {"a"}).node("Left", {"a"}, {"b"});
  maker.node("Neg", {"a"}, {"c"}).node("Add", {"b", "c"}, {"y"});
  EXPECT_EQ(groups(maker, {1}), (std::vector<Group>{{0, 2}, {3}}));
}

TEST(Groups, ReadsOfBodiesCount) {
  HostGraphMaker maker;
  maker.input("x", {4}).node("Relu", {"x"}, {"a"}).node("Left", {"a"}, {"b"}).node("If", {"x"}, {"y"});
  maker.graph().nodes[2].outer_reads = {"b"};
  EXPECT_EQ(groups(maker, {1}), (std::vector<Group>{{0}, {2}}));
}

TEST(Groups, CutsEndThem) {
  HostGraphMaker maker = chain(4);
  EXPECT_EQ(groups(maker, {}, {1, 3}), (std::vector<Group>{{0}, {1, 2}, {3}}));
}

class Accepted : public testing::Test {
 protected:
  std::vector<Group> accepted(HostGraphMaker& maker, const QuerySupport& ask) {
    return accepted_groups(maker.graph(), ask, [&](int node, const std::string&) { declined_.insert(node); });
  }
  std::set<int> declined_;
};

TEST_F(Accepted, UnknownOperatorsAreNotAsked) {
  HostGraphMaker maker;
  maker.input("x", {4})
      .node("Relu", {"x"}, {"a"})
      .node("StringNormalizer", {"a"}, {"b"})
      .node("Exp", {"b"}, {"y"});
  const auto ask = [](HostGraph& graph, const Group& group) {
    for (const int position : group)
      EXPECT_NE(graph.nodes[static_cast<size_t>(position)].proto.op_type(), "StringNormalizer");
    return GroupSupport{};
  };
  EXPECT_EQ(accepted(maker, ask), (std::vector<Group>{{0}, {2}}));
  EXPECT_EQ(declined_, std::set{1});
}

TEST_F(Accepted, DeclinedNodesDivide) {
  HostGraphMaker maker = chain(5);
  const auto ask = [](HostGraph&, const Group& group) {
    for (size_t i = 0; i < group.size(); ++i)
      if (group[i] == 3) return GroupSupport{false, {static_cast<int>(i)}, "no"};
    return GroupSupport{};
  };
  EXPECT_EQ(accepted(maker, ask), (std::vector<Group>{{0, 1, 2}, {4}}));
  EXPECT_EQ(declined_, std::set{3});
}

TEST_F(Accepted, GroupsDeclinedForNoNodeAreHalved) {
  HostGraphMaker maker = chain(8);
  const auto ask = [](HostGraph&, const Group& group) {
    return GroupSupport{group.size() <= 2, {}, "too large"};
  };
  const std::vector<Group> found = accepted(maker, ask);
  EXPECT_EQ(found, (std::vector<Group>{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_TRUE(declined_.empty());
}

TEST_F(Accepted, IsEmptyIfTheDeviceDeclinesAll) {
  HostGraphMaker maker = chain(6);
  EXPECT_TRUE(accepted(maker, [](HostGraph&, const Group&) {
                return GroupSupport{false, {}, "no"};
              }).empty());
  EXPECT_EQ(declined_.size(), 6U);
}

TEST_F(Accepted, SkipsReshapeOnlyGroups) {
  HostGraphMaker maker;
  maker.input("x", {4}).node("Flatten", {"x"}, {"a"}).node("Identity", {"a"}, {"y"});
  EXPECT_TRUE(accepted(maker, [](HostGraph&, const Group&) { return GroupSupport{}; }).empty());
  maker.node("Relu", {"y"}, {"z"});
  EXPECT_EQ(accepted(maker, [](HostGraph&, const Group&) { return GroupSupport{}; }),
            (std::vector<Group>{{0, 1, 2}}));
}

TEST(Boundary, ListsExternalReadsAndGraphOutputs) {
  HostGraphMaker maker;
  maker.input("x", {4}).constant("k", {4}, {1, 2, 3, 4});
  maker.node("Add", {"x", "k"}, {"a"})
      .node("Relu", {"a"}, {"b"})
      .node("Neg", {"b"}, {"c"})
      .node("Left", {"a"}, {"d"});
  maker.output("c").output("d");
  const Boundary boundary = boundary_of(maker.graph(), {0, 1, 2});
  EXPECT_EQ(boundary.inputs, std::vector<std::string>{"x"});
  EXPECT_EQ(boundary.outputs, (std::vector<std::string>{"a", "c"}));
}

}  // namespace
}  // namespace nnrt::ep
