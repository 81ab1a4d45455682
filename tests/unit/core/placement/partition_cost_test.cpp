// With given costs: of the device "far" and of the home of the data.
#include "core/placement/partition_cost.h"

#include "tests/support/graph_maker.h"
#include "tests/support/random/random_graph.h"
#include "tests/support/test_settings.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace nnrt {
namespace {

constexpr size_t kFar = 0, kHome = 1;

// Computes GEMMs a hundred times as fast as kSlow, and takes 50 us per partition.
constexpr DeviceCosts kFast{
    .partition_us = 50, .node_us = 1, .gflops = {1000, 1000, 1000}, .gbytes = 100, .transfer_gbytes = 10};
constexpr DeviceCosts kSlow{.partition_us = 0, .node_us = 1, .gflops = {10, 10, 10}, .gbytes = 10};

CandidateDevice all(const DeviceCosts& costs, const Graph& graph) {
  return {costs, std::vector<bool>(graph.nodes.size(), true)};
}

CandidateDevice all_but(const DeviceCosts& costs, const Graph& graph, Op op) {
  CandidateDevice device = all(costs, graph);
  for (NodeId node = 0; node < graph.nodes.size(); ++node)
    if (graph.nodes[node].op == op) device.supports[node] = false;
  return device;
}

// relu(x) . w . w: each GEMM takes the slow device 400 us.
GraphPtr products(int count) {
  test::GraphMaker make;
  const TensorId x = make.input({100, 200});
  TensorId y = make.op(Op::relu, {x}, {100, 200});
  const TensorId w = make.floats({200, 200}, std::vector<float>(40000));
  for (int i = 0; i < count; ++i) y = make.op(Op::matmul, {y, w}, {100, 200});
  return make.finish({y});
}

TEST(PartitionCost, SumsNodesPartitionsAndBorders) {
  const GraphPtr graph = products(1);
  const PartitionCost costs(*graph, {all(kFast, *graph), all(kSlow, *graph)});
  const double relu = 1 + 160e3 / 10e3, slow_product = 1 + 2 * 4e6 / 10e3;
  const double fast_product = 1 + 2 * 4e6 / 1000e3, border = 80e3 / 10e3;
  EXPECT_NEAR(costs.expected(std::vector<size_t>{kHome, kHome}), relu + slow_product, 0.1);
  EXPECT_NEAR(costs.expected(std::vector<size_t>{kHome, kFar}), relu + border + 50 + fast_product + border,
              0.1);
}

TEST(PartitionCost, LeavesSmallWorkAtHome) {
  test::GraphMaker make;
  const GraphPtr graph = make.finish({make.op(Op::relu, {make.input({10})}, {10})});
  const PartitionCost costs(*graph, {all(kFast, *graph), all(kSlow, *graph)});
  EXPECT_EQ(costs.best_between(kFar, kHome), std::vector<size_t>{kHome});
}

TEST(PartitionCost, SendsLargeWorkFarAndCutsOnce) {
  const GraphPtr graph = products(4);
  const PartitionCost costs(*graph, {all(kFast, *graph), all(kSlow, *graph)});
  EXPECT_EQ(costs.best_between(kFar, kHome), std::vector<size_t>(5, kFar));
}

// One RELU on the far device is not worth entering a partition.
TEST(PartitionCost, MovesSmallPartitionsHome) {
  test::GraphMaker make;
  const TensorId x = make.input({10});
  const TensorId small = make.op(Op::relu, {make.op(Op::neg, {x}, {10})}, {10});
  const GraphPtr graph = make.finish({small});
  const PartitionCost costs(*graph, {all_but(kFast, *graph, Op::neg), all(kSlow, *graph)});
  EXPECT_EQ(costs.best_between(kFar, kHome), (std::vector<size_t>{kHome, kHome}));
}

TEST(PartitionCost, MovesUnsupportedNodes) {
  const GraphPtr graph = products(4);
  const PartitionCost costs(*graph, {all_but(kFast, *graph, Op::relu), all_but(kSlow, *graph, Op::matmul)});
  EXPECT_EQ(costs.best_between(kFar, kHome), (std::vector<size_t>{kHome, kFar, kFar, kFar, kFar}));
}

TEST(PartitionCost, CountsSharedTensorOnce) {
  test::GraphMaker make;
  const TensorId x = make.input({1000});
  std::vector<TensorId> outputs;
  for (int i = 0; i < 5; ++i) outputs.push_back(make.op(Op::relu, {x}, {1000}));
  const GraphPtr graph = make.finish(outputs);
  const PartitionCost costs(*graph, {all(kFast, *graph), all(kSlow, *graph)});
  const double one_node = 1 + 8e3 / 100e3;
  EXPECT_NEAR(costs.expected(std::vector<size_t>(5, kFar)), 50 + 5 * one_node + (1 + 5) * 0.4, 0.01);
}

TEST(PartitionCost, UnknownSizesCountAsOne) {
  test::GraphMaker make;
  const GraphPtr graph = make.finish({make.op(Op::relu, {make.input({-1, 1000})}, {-1, 1000})});
  const PartitionCost costs(*graph, {all(kFast, *graph), all(kSlow, *graph)});
  EXPECT_NEAR(costs.node_cost(kHome, 0), 1 + 8e3 / 10e3, 1e-6);
}

DeviceCosts draw_costs(std::mt19937& random) {
  const auto draw = [&](double from, double to) {
    return std::exp(std::uniform_real_distribution<double>(std::log(from), std::log(to))(random));
  };
  DeviceCosts costs{.partition_us = draw(0.1, 100), .node_us = draw(0.1, 50), .gbytes = draw(0.001, 10)};
  for (double& rate : costs.gflops) rate = draw(0.001, 10);
  if (random() % 2 == 0) costs.transfer_gbytes = draw(0.001, 10);
  return costs;
}

TEST(PartitionCost, BestBeatsSimplePlacements) {
  std::mt19937 random(7);
  size_t divided = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const GraphPtr graph = test::draw_graph(seed).graph;
    std::vector<CandidateDevice> devices{all(draw_costs(random), *graph), all(draw_costs(random), *graph)};
    devices[kHome].costs.transfer_gbytes = 0;
    for (size_t node = 0; node < graph->nodes.size(); ++node)
      if (random() % 8 == 0) devices[kFar].supports[node] = false;
    const PartitionCost costs(*graph, devices);
    const std::vector<size_t> best = costs.best_between(kFar, kHome);
    const double time = costs.expected(best);
    ASSERT_LE(time, costs.expected(costs.all_on(kHome, kFar))) << "seed " << seed;
    ASSERT_LE(time, costs.expected(costs.all_on(kFar, kHome))) << "seed " << seed;
    for (size_t node = 0; node < best.size(); ++node) {
      ASSERT_TRUE(devices[best[node]].supports[node]) << "seed " << seed;
    }
    const auto far = size_t(std::ranges::count(best, kFar));
    divided += far > 0 && far < best.size() ? 1 : 0;
  }
  EXPECT_GT(divided, 30u);  // the drawn costs make all kinds of cuts
}

}  // namespace
}  // namespace nnrt
