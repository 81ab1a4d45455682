#include "tools/nnrt/plan/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nnrt::tool {
namespace {

bool overlap(const Layout& layout, std::span<const Size> sizes, size_t a, size_t b) {
  const auto apart = [](double x, double y, double room) { return std::abs(x - y) >= room - 1e-9; };
  return !apart(layout.centers[a].x, layout.centers[b].x, (sizes[a].width + sizes[b].width) / 2) &&
         !apart(layout.centers[a].y, layout.centers[b].y, (sizes[a].height + sizes[b].height) / 2);
}

TEST(Layout, EmptyGraphHasNoSize) {
  const Layout layout = lay_out({}, {});
  EXPECT_TRUE(layout.centers.empty());
  EXPECT_GT(layout.size.width, 0);
}

TEST(Layout, ChainsGoStraightDown) {
  const std::vector<Size> sizes{{100, 40}, {60, 40}, {140, 40}};
  const std::vector<Edge> edges{{0, 1}, {1, 2}};
  const Layout layout = lay_out(sizes, edges);
  EXPECT_DOUBLE_EQ(layout.centers[0].x, layout.centers[1].x);
  EXPECT_DOUBLE_EQ(layout.centers[1].x, layout.centers[2].x);
  EXPECT_LT(layout.centers[0].y, layout.centers[1].y);
  EXPECT_LT(layout.centers[1].y, layout.centers[2].y);
}

TEST(Layout, EdgesGoFromTheBottomToTheTop) {
  const std::vector<Size> sizes{{100, 40}, {100, 20}, {100, 40}};
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {0, 2}};
  const Layout layout = lay_out(sizes, edges);
  EXPECT_DOUBLE_EQ(layout.edges[2].front().y, layout.centers[0].y + 20);
  EXPECT_DOUBLE_EQ(layout.edges[2].back().y, layout.centers[2].y - 20);
  EXPECT_EQ(layout.edges[2].size(), 3u);  // spans one layer
}

TEST(Layout, ConstantsStandAboveTheirReaders) {
  const std::vector<Size> sizes(5, Size{80, 40});
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 4}, {3, 4}};
  const Layout layout = lay_out(sizes, edges);
  EXPECT_DOUBLE_EQ(layout.centers[3].y, layout.centers[2].y);
}

TEST(Layout, DrawingIsNoWiderThanItsNodesNeed) {
  constexpr size_t kBlocks = 60;  // each: a node, two branches and a skip edge
  std::vector<Size> sizes{{180, 44}};
  std::vector<Edge> edges;
  for (size_t i = 0; i < kBlocks; ++i) {
    const size_t from = sizes.size() - 1;
    sizes.insert(sizes.end(), 4, Size{180, 44});
    edges.insert(edges.end(),
                 {{from, from + 1}, {from, from + 2}, {from + 1, from + 3}, {from + 2, from + 3}});
    edges.insert(edges.end(), {{from, from + 4}, {from + 3, from + 4}});
  }
  const Layout layout = lay_out(sizes, edges);
  const auto [left, right] = std::ranges::minmax_element(layout.centers, {}, &Point::x);
  EXPECT_LT(layout.size.width, right->x - left->x + 400);
}

TEST(Layout, RandomGraphsDoNotOverlap) {
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const size_t count = 2 + random() % 70;
    std::vector<Size> sizes;
    std::vector<Edge> edges;
    for (size_t i = 0; i < count; ++i) {
      sizes.push_back({50.0 + double(random() % 200), 20.0 + double(random() % 40)});
      for (size_t k = 0; i > 0 && k < random() % 3; ++k) edges.push_back({random() % i, i});
    }
    const Layout layout = lay_out(sizes, edges);
    for (size_t a = 0; a < count; ++a) {
      for (size_t b = 0; b < a; ++b) ASSERT_FALSE(overlap(layout, sizes, a, b)) << a << ' ' << b;
      EXPECT_GE(layout.centers[a].x - sizes[a].width / 2, 0);
      EXPECT_LE(layout.centers[a].x + sizes[a].width / 2, layout.size.width);
      EXPECT_LE(layout.centers[a].y + sizes[a].height / 2, layout.size.height);
    }
    for (const Edge& edge : edges) EXPECT_LT(layout.centers[edge.from].y, layout.centers[edge.to].y);
  }
}

}  // namespace
}  // namespace nnrt::tool
