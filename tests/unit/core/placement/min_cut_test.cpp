#include "core/placement/min_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nnrt {
namespace {

struct Edge {
  size_t from, to;
  uint64_t cost;
};

uint64_t cost_of(const std::vector<Edge>& edges, const std::vector<bool>& with_source) {
  uint64_t sum = 0;
  for (const Edge& edge : edges) {
    if (with_source[edge.from] && !with_source[edge.to]) sum += edge.cost;
  }
  return sum;
}

std::vector<bool> solve(size_t vertices, const std::vector<Edge>& edges) {
  MinCut cut;
  for (size_t i = 2; i < vertices; ++i) cut.add_vertex();
  for (const Edge& edge : edges) cut.add_edge(edge.from, edge.to, edge.cost);
  return cut.solve().value();
}

TEST(MinCut, CutsAChainAtItsCheapestEdge) {
  EXPECT_EQ(solve(4, {{0, 2, 5}, {2, 3, 2}, {3, 1, 7}}), (std::vector<bool>{true, false, true, false}));
}

TEST(MinCut, PlacesThatNothingHoldsAreWithTheSink) {
  EXPECT_EQ(solve(3, {}), (std::vector<bool>{true, false, false}));
}

TEST(MinCut, IsNoWorseThanAnyOtherDivision) {
  std::mt19937 random(1);
  const auto draw = [&](size_t max) { return std::uniform_int_distribution<size_t>(0, max)(random); };
  for (int round = 0; round < 200; ++round) {
    const size_t vertices = 3 + draw(6);
    std::vector<Edge> edges;
    for (size_t i = draw(20); i > 0; --i) edges.push_back({draw(vertices - 1), draw(vertices - 1), draw(9)});
    const uint64_t found = cost_of(edges, solve(vertices, edges));
    for (size_t sides = 0; sides < size_t{1} << (vertices - 2); ++sides) {
      std::vector<bool> division{true, false};
      for (size_t i = 0; i + 2 < vertices; ++i) division.push_back((sides >> i & 1) != 0);
      ASSERT_LE(found, cost_of(edges, division)) << "round " << round;
    }
  }
}

TEST(MinCut, OfALongChainNeedsNoStack) {
  MinCut cut;
  size_t last = MinCut::kSource;
  for (int i = 0; i < 100'000; ++i) {
    const size_t next = cut.add_vertex();
    cut.add_edge(last, next, i == 50'000 ? 1 : 2);
    last = next;
  }
  cut.add_edge(last, MinCut::kSink, 2);
  const std::vector<bool> with_source = cut.solve().value();
  EXPECT_EQ(std::ranges::count(with_source, true), 50'001);
}

// One half of the path prefers this side, the other half that side, and the edge between costs more than it
// is worth: each path is longer than the previous one.
MinCut two_branches(size_t vertices) {
  MinCut cut;
  for (size_t i = 0; i < vertices; ++i) {
    const size_t vertex = cut.add_vertex();
    const bool is_first = i < vertices / 2;
    cut.add_edge(is_first ? MinCut::kSource : vertex, is_first ? vertex : MinCut::kSink, 10);
    if (i > 0) cut.add_edge(vertex - 1, vertex, 100'000);
  }
  return cut;
}

TEST(MinCut, GivesUpOnQuadraticWork) {
  EXPECT_TRUE(two_branches(300).solve().has_value());
  EXPECT_FALSE(two_branches(30'000).solve().has_value());
}

}  // namespace
}  // namespace nnrt
