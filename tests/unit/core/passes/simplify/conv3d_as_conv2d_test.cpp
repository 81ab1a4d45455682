// CONV3D becomes CONV2D. Golden cases compare the results.
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <limits>

namespace nnrt::test {
namespace {

constexpr int kStrides = 1032, kPad = 1033, kGroup = 1035;  // OH_NN_CONV3D_STRIDES, _PAD, _GROUP

struct Sizes {
  Shape kernel;  // depth, height, width
  Format format = Format::nchw;
  Shape strides = {1, 1, 1};
  int64_t depth_padding = 0;
  float weight = 1;
  int64_t channels = 3, outputs = 4, groups = 1, batch = 2;
};

// [batch, depth, height, width] with channels.
Shape with_channels(Shape shape, int64_t channels, Format format) {
  shape.insert(format == Format::nchw ? shape.begin() + 1 : shape.end(), channels);
  return shape;
}

// RELU(CONV3D(x)), which has `shape` afterwards.
TensorId layer(GraphMaker& make, TensorId x, int64_t channels, Shape& shape, const Sizes& sizes) {
  Shape weight{sizes.outputs};
  for (size_t i = 0; i < 3; ++i) {
    if (i == 0) shape[1] += sizes.depth_padding;
    shape[i + 1] = (shape[i + 1] - sizes.kernel[i]) / sizes.strides[i] + 1;
    weight.push_back(sizes.kernel[i]);
  }
  weight.push_back(channels / sizes.groups);
  const TensorId w = make.floats(weight, std::vector<float>(size_t(*element_count(weight)), sizes.weight));
  const TensorId strides = make.parameter<int64_t>(kStrides, DType::i64, sizes.strides);
  const TensorId pad = make.parameter<int64_t>(kPad, DType::i64, {sizes.depth_padding, 0, 0, 0, 0, 0});
  const TensorId group = make.parameter<int64_t>(kGroup, DType::i64, {sizes.groups});
  const Shape to = with_channels(shape, sizes.outputs, sizes.format);
  const TensorId bias = make.floats({sizes.outputs}, std::vector<float>(size_t(sizes.outputs), 1));
  const TensorId y = make.op(Op::conv3d, {x, w, bias}, to, {strides, pad, group}, DType::f32, sizes.format);
  return make.op(Op::relu, {y}, to, {}, DType::f32, sizes.format);
}

Graph graph_of(const Sizes& sizes, std::span<const RewriteObjection> objections = {}) {
  GraphMaker make;
  Shape shape{sizes.batch, 6, 8, 10};
  const TensorId x = make.input(with_channels(shape, sizes.channels, sizes.format), DType::f32, sizes.format);
  return simplified(make, layer(make, x, sizes.channels, shape, sizes), objections);
}

void expect_conv2d(const Graph& graph, const Shape& input, const Shape& weight, const Shape& output) {
  const auto conv = std::ranges::find(graph.nodes, Op::conv2d, &Node::op);
  ASSERT_NE(conv, graph.nodes.end());
  EXPECT_EQ(graph.shapes[conv->inputs[0]], input);
  EXPECT_EQ(graph.shapes[conv->inputs[1]], weight);
  EXPECT_EQ(graph.shapes[conv->outputs[0]], output);
}

TEST(FlattenConv3d, MergesDepthIntoTheBatch) {
  const Graph graph = graph_of({{1, 3, 2}, Format::nhwc, {1, 2, 1}});
  ASSERT_EQ(text_of(graph), "RESHAPE CONV2D RESHAPE");
  expect_conv2d(graph, {12, 8, 10, 3}, {4, 3, 2, 3}, {12, 3, 9, 4});
}

TEST(FlattenConv3d, MergesHeightIntoTheWidth) {
  const Graph graph = graph_of({{2, 1, 1}, Format::nhwc, {3, 1, 1}});
  ASSERT_EQ(text_of(graph), "RESHAPE CONV2D RESHAPE");
  expect_conv2d(graph, {2, 6, 80, 3}, {4, 2, 1, 3}, {2, 2, 80, 4});
}

TEST(FlattenConv3d, TakesChannelsLast) {
  EXPECT_EQ(text_of(graph_of({{1, 1, 1}})), "TRANSPOSE RESHAPE CONV2D RESHAPE TRANSPOSE");
}

TEST(FlattenConv3d, KeepsChannelsLastBetweenLayers) {
  GraphMaker make;
  Shape shape{2, 6, 8, 10};
  TensorId x = make.input(with_channels(shape, 3, Format::nchw), DType::f32, Format::nchw);
  x = layer(make, x, 3, shape, {{1, 3, 3}});
  x = layer(make, x, 4, shape, {{3, 1, 1}});
  EXPECT_EQ(text_of(simplified(make, x)), "TRANSPOSE RESHAPE CONV2D RESHAPE CONV2D RESHAPE TRANSPOSE");
}

TEST(UnrollConv3d, MakesTapsChannels) {
  const Graph graph = graph_of({{2, 1, 3}, Format::nhwc, {3, 1, 2}});
  ASSERT_EQ(text_of(graph), "STRIDED_SLICE STRIDED_SLICE CONCAT RESHAPE CONV2D RESHAPE");
  expect_conv2d(graph, {4, 8, 10, 6}, {4, 1, 3, 6}, {4, 8, 4, 4});
  EXPECT_EQ(text_of(graph_of({{1, 3, 3}, Format::nhwc, {2, 1, 1}})), "STRIDED_SLICE RESHAPE CONV2D RESHAPE");
}

TEST(UnrollConv3d, JoinsTheTapsOfAGroup) {
  Sizes sizes{{2, 3, 3}, Format::nhwc, {2, 1, 1}};
  sizes.outputs = 6;
  sizes.groups = 3;
  sizes.channels = 6;
  const Graph graph = graph_of(sizes);
  ASSERT_EQ(text_of(graph), "STRIDED_SLICE RESHAPE STRIDED_SLICE RESHAPE CONCAT RESHAPE CONV2D RESHAPE");
  expect_conv2d(graph, {6, 8, 10, 12}, {6, 3, 3, 4}, {6, 6, 8, 6});
}

TEST(UnrollConv3d, LeavesTheBatchOpen) {
  Sizes sizes{{2, 1, 3}, Format::nhwc, {3, 1, 2}};
  sizes.batch = kUnknown;
  const Graph graph = graph_of(sizes);
  ASSERT_EQ(text_of(graph), "STRIDED_SLICE STRIDED_SLICE CONCAT RESHAPE CONV2D RESHAPE");
  expect_conv2d(graph, {kUnknown, 8, 10, 6}, {4, 1, 3, 6}, {kUnknown, 8, 4, 4});
}

TEST(SplitDepthwiseConv3d, AddsUpTaps) {
  Sizes sizes{{2, 3, 3}, Format::nhwc, {2, 1, 1}};
  sizes.outputs = sizes.groups = 3;
  const Graph graph = graph_of(sizes);
  ASSERT_EQ(text_of(graph), "STRIDED_SLICE RESHAPE CONV2D STRIDED_SLICE RESHAPE CONV2D ADD RESHAPE");
  expect_conv2d(graph, {6, 8, 10, 3}, {3, 3, 3, 1}, {6, 6, 8, 3});
}

TEST(UnrollConv3d, LeavesNarrowPlanesToADeviceThatObjects) {
  const RewriteObjection objections[] = {{"unroll_narrow_conv3d", "It is slower."}};
  const auto keeps = [&](const Sizes& sizes) { return text_of(graph_of(sizes, objections)) == "CONV3D"; };
  EXPECT_TRUE(keeps({{2, 3, 3}, Format::nchw, {2, 1, 1}}));
  EXPECT_FALSE(keeps({{2, 3, 3}, Format::nhwc, {2, 1, 1}}));
  EXPECT_FALSE(keeps({{2, 3, 3}, Format::nchw, {1, 1, 2}}));
}

TEST(UnrollConv3d, PadsForFiniteWeights) {
  Sizes sizes{{2, 3, 3}, Format::nhwc, {1, 1, 1}, 1};
  EXPECT_EQ(text_of(graph_of(sizes)), "PAD STRIDED_SLICE STRIDED_SLICE CONCAT RESHAPE CONV2D RESHAPE");
  sizes.weight = std::numeric_limits<float>::infinity();
  EXPECT_EQ(text_of(graph_of(sizes)), "CONV3D");
}

}  // namespace
}  // namespace nnrt::test
