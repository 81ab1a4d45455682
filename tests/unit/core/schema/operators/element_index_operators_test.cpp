// Shapes and errors of element-wise index operators.
#include "core/schema/operators/selections.h"
#include "tests/unit/core/graph/one_node_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt {
namespace {

using namespace testing_support;

const Tensor kOut = floats({});

OneNode scatter(Shape input, Tensor indices, Shape updates, Tensor reduction = i8(0)) {
  return {Op::scatter_elements,
          {floats(std::move(input)), std::move(indices), floats(std::move(updates))},
          {as_param(1003, std::move(reduction))},
          {kOut}};
}
OneNode non_zero(Tensor input, Shape output = {-1, -1}) {
  return {Op::non_zero, {std::move(input)}, {}, {tensor(DType::i64, std::move(output))}};
}
OneNode suppression(Tensor boxes, Tensor scores, float min_score = 0) {
  return {Op::non_max_suppression,
          {std::move(boxes), std::move(scores)},
          {as_param(1010, i64s({3})), as_param(1012, f32(min_score))},
          {tensor(DType::i64, {-1, -1})}};
}

Tensor fed(Shape shape) { return tensor(DType::i32, std::move(shape)); }
Tensor numbers(Shape shape, const std::vector<float>& values) {
  return constant(DType::f32, std::move(shape), values);
}

std::vector<Shape> shapes_of(OneNode node) {
  if (node.outputs[0].shape.empty()) node.outputs[0].shape = {-1, -1};
  return node.infer().value();
}

TEST(ElementIndexShapes, UseKnownContents) {
  EXPECT_EQ(shapes_of(non_zero(floats({2, 3}))), (std::vector<Shape>{{2, -1}}));
  EXPECT_EQ(shapes_of(non_zero(numbers({2, 3}, {0, -0.0f, 1, NAN, 0, 2}))), (std::vector<Shape>{{2, 3}}));
  EXPECT_EQ(shapes_of(suppression(floats({1, 2, 4}), floats({1, 1, 2}))), (std::vector<Shape>{{-1, 3}}));
  EXPECT_EQ(shapes_of(suppression(numbers({1, 2, 4}, {0, 0, 1, 1, 2, 2, 3, 3}), numbers({1, 1, 2}, {1, 2}))),
            (std::vector<Shape>{{2, 3}}));
}

TEST(ElementIndexComplaints, NameUnsupportedCombinations) {
  OneNode node = scatter({3}, fed({2}), {2}, i8(1));
  for (const size_t i : {size_t{0}, size_t{2}}) node.inputs[i].dtype = DType::u16;
  node.outputs[0].dtype = DType::u16;
  EXPECT_EQ(node.complaint(), "Updates of UINT16 cannot be combined.");
  for (const size_t i : {size_t{0}, size_t{2}}) node.inputs[i] = quantized(node.inputs[i].shape);
  node.outputs[0] = quantized({3});
  EXPECT_EQ(node.complaint(), "Quantization of the input is not supported.");
  node.params = {};
  EXPECT_EQ(node.complaint(), "ok");
}

TEST(ElementIndexComplaints, AreNotOfFindingNothing) {
  EXPECT_EQ(shapes_of(non_zero(numbers({2}, {0, -0.0f}))), (std::vector<Shape>{{1, 0}}));
  EXPECT_EQ(shapes_of(suppression(numbers({1, 1, 4}, {0, 0, 1, 1}), numbers({1, 1, 1}, {0}))),
            (std::vector<Shape>{{0, 3}}));
  const Tensor some = tensor(DType::i64, {-1});
  const OneNode unique{Op::unique, {numbers({0}, {})}, {}, {floats({-1}), some, some, some}};
  EXPECT_EQ(unique.with_view([](const NodeView& view) { return Result(unique_slices(view).counts.size()); })
                .value(),
            0u);
  EXPECT_EQ(non_zero(numbers({2}, {0, 1}), {1, 2}).complaint(),
            "Declared shape of output 0 [1, 2] is not the inferred one [1, 1].");
}

}  // namespace
}  // namespace nnrt
