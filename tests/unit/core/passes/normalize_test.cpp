#include "core/passes/normalize.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt {
namespace {

constexpr int kMaxPoolKernel = 36;  // OH_NN_MAX_POOL_KERNEL_SIZE

TensorId pool(test::GraphMaker& make, TensorId x, Shape shape, Format format) {
  const TensorId kernel = make.parameter<int64_t>(kMaxPoolKernel, DType::i64, {2, 2});
  return make.op(Op::max_pool, {x}, std::move(shape), {kernel}, DType::f32, format);
}

size_t count(const Graph& graph, Op op) {
  return static_cast<size_t>(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                                           [op](const Node& node) { return node.op == op; }));
}

TEST(Normalize, LeavesNhwcAlone) {
  test::GraphMaker make;
  const TensorId x = make.input({1, 5, 7, 3}, DType::f32, Format::nhwc);
  const GraphPtr graph = normalize(make.finish({pool(make, x, {1, 4, 6, 3}, Format::nhwc)}));
  EXPECT_EQ(graph->nodes.size(), 1u);
}

TEST(Normalize, TransposesOnlyAtGraphBorders) {
  test::GraphMaker make;
  const TensorId x = make.input({1, 3, 5, 7}, DType::f32, Format::nchw);
  TensorId y = pool(make, x, {1, 3, 4, 6}, Format::nchw);
  y = make.op(Op::relu, {y}, {1, 3, 4, 6}, {}, DType::f32, Format::nchw);
  y = make.op(Op::add, {y, y}, {1, 3, 4, 6}, {}, DType::f32, Format::nchw);
  y = pool(make, y, {1, 3, 3, 5}, Format::nchw);
  const GraphPtr graph = normalize(make.finish({y}));
  EXPECT_EQ(count(*graph, Op::transpose), 2u);
  EXPECT_EQ(graph->nodes.size(), 6u);
  EXPECT_EQ(graph->outputs, std::vector<TensorId>{y});
  EXPECT_EQ(graph->shapes[y], (Shape{1, 3, 3, 5}));
}

TEST(Normalize, KeepsGroupNormBetweenOthersInNhwc) {
  test::GraphMaker make;
  const TensorId x = make.input({1, 4, 5, 7}, DType::f32, Format::nchw);
  const TensorId terms = make.floats({4}, {1, 2, 3, 4});
  const TensorId group = make.parameter<int64_t>(1060, DType::i64, {2});  // OH_NN_GROUP_NORM_GROUP
  TensorId y = pool(make, x, {1, 4, 4, 6}, Format::nchw);
  y = make.op(Op::group_norm, {y, terms, terms}, {1, 4, 4, 6}, {group}, DType::f32, Format::nchw);
  const GraphPtr graph = normalize(make.finish({pool(make, y, {1, 4, 3, 5}, Format::nchw)}));
  EXPECT_EQ(count(*graph, Op::transpose), 2u);
  const auto norm = std::ranges::find(graph->nodes, Op::group_norm, &Node::op);
  ASSERT_NE(norm, graph->nodes.end());
  EXPECT_EQ(graph->format_of(*norm), Format::nhwc);
  EXPECT_EQ(graph->shapes[norm->outputs[0]], (Shape{1, 4, 6, 4}));
}

TEST(Normalize, TurnsTheAxisOfAConcatenation) {
  test::GraphMaker make;
  const TensorId x = make.input({1, 3, 5, 7}, DType::f32, Format::nchw);
  const TensorId a = pool(make, x, {1, 3, 4, 6}, Format::nchw);
  const TensorId axis = make.parameter<int64_t>(10, DType::i64, {1});  // OH_NN_CONCAT_AXIS
  const TensorId y = make.op(Op::concat, {a, a}, {1, 6, 4, 6}, {axis}, DType::f32, Format::nchw);
  const GraphPtr graph = normalize(make.finish({y}));
  const auto concat = std::find_if(graph->nodes.begin(), graph->nodes.end(),
                                   [](const Node& node) { return node.op == Op::concat; });
  ASSERT_NE(concat, graph->nodes.end());
  EXPECT_EQ(concat->attrs.integer(Attr::axis), 3);
  EXPECT_EQ(graph->shapes[concat->outputs[0]], (Shape{1, 4, 6, 6}));
}

TEST(Normalize, DropsDeadNodes) {
  test::GraphMaker make;
  const TensorId x = make.input({7});
  make.op(Op::relu, {x}, {7});
  const GraphPtr graph = normalize(make.finish({make.op(Op::relu6, {x}, {7})}));
  ASSERT_EQ(graph->nodes.size(), 1u);
  EXPECT_EQ(graph->nodes[0].op, Op::relu6);
  EXPECT_EQ(graph->nodes[0].position, 1u);
}

}  // namespace
}  // namespace nnrt
