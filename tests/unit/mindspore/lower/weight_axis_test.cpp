#include "mindspore/lower/weight_axis.h"

#include <gtest/gtest.h>

namespace nnrt::mindspore {
namespace {

size_t axis_of(Version version, Primitive primitive, size_t input, Shape dims, int64_t gather_axis = 0) {
  SourceGraph graph;
  graph.version = version;
  graph.tensors.resize(2);
  graph.tensors[input].dims = std::move(dims);
  SourceNode node;
  node.primitive = std::move(primitive);
  node.inputs = {0, 1};
  return weight_axis(graph, node, input, gather_axis);
}

TEST(WeightAxis, OfMatMulFollowsTheTranspose) {
  const Version old{1, 5, 0}, current{1, 6, 0};
  const Primitive plain(PrimitiveType::mat_mul_fusion);
  Primitive both = plain;
  both.set("transpose_a", int64_t{1}).set("transpose_b", int64_t{1});
  EXPECT_EQ(axis_of(current, plain, 0, {2, 3, 4}), 1u);
  EXPECT_EQ(axis_of(current, both, 0, {2, 3, 4}), 2u);
  EXPECT_EQ(axis_of(current, plain, 1, {2, 3, 4}), 2u);
  EXPECT_EQ(axis_of(current, both, 1, {2, 3, 4}), 1u);
  EXPECT_EQ(axis_of(old, plain, 0, {3, 4}), 0u);
  EXPECT_EQ(axis_of(old, both, 0, {3, 4}), 1u);
  EXPECT_EQ(axis_of(old, plain, 1, {3, 4}), 1u);
  EXPECT_EQ(axis_of(old, both, 1, {3, 4}), 0u);
}

TEST(WeightAxis, DefaultsToTheFirst) {
  const Shape dims{2, 3, 4, 5};
  EXPECT_EQ(axis_of({2, 0, 0}, Primitive(PrimitiveType::conv2d_fusion), 1, dims), 0u);
  EXPECT_EQ(axis_of({1, 7, 0}, Primitive(PrimitiveType::conv2d_transpose_fusion), 1, dims), 0u);
  EXPECT_EQ(axis_of({1, 8, 0}, Primitive(PrimitiveType::conv2d_transpose_fusion), 1, dims), 3u);
  EXPECT_EQ(axis_of({1, 6, 0}, Primitive(PrimitiveType::gather), 0, dims, -2), 2u);
  EXPECT_EQ(axis_of({1, 5, 0}, Primitive(PrimitiveType::gather), 0, dims, -2), 0u);
}

}  // namespace
}  // namespace nnrt::mindspore
