// Recognizes group normalization written out by exporters.
#include "tests/unit/core/passes/simplify/simplified_graph.h"

#include <numeric>

namespace nnrt {
namespace {

using test::floats_of;
using test::GraphMaker;
using test::text_of;

constexpr int kGroups = 2, kEpsilon = 88;

std::vector<float> counted(int64_t count, float first) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct Pieces {
  Shape x{2, 4, 3, 5};
  std::vector<int32_t> grouped{2, kGroups, 1, 30};
  Shape terms{4, 1, 1};
  Format format = Format::nchw;
  Shape rows = {};  // the input's shape, before it is reshaped to x
};

// x -> RESHAPE -> INSTANCE_NORM -> RESHAPE -> MUL -> ADD.
Graph simplified(const Pieces& pieces) {
  GraphMaker make;
  const auto shape_of = [](const std::vector<int32_t>& list) { return Shape(list.begin(), list.end()); };
  const Shape grouped = shape_of(pieces.grouped);
  const std::vector<int32_t> back(pieces.x.begin(), pieces.x.end());
  const TensorId epsilon = make.parameter<float>(kEpsilon, DType::f32, {1e-3f});
  const bool has_rows = !pieces.rows.empty();
  TensorId x = make.input(has_rows ? pieces.rows : pieces.x, DType::f32, pieces.format);
  const auto op = [&](Op type, const std::vector<TensorId>& inputs, const Shape& shape,
                      const std::vector<TensorId>& parameters = {}) {
    return make.op(type, inputs, shape, parameters, DType::f32, pieces.format);
  };
  if (has_rows) x = op(Op::reshape, {x, make.ints(back)}, pieces.x);
  const TensorId groups = op(Op::reshape, {x, make.ints(pieces.grouped)}, grouped);
  const TensorId normal =
      op(Op::instance_norm, {groups, make.floats({kGroups}, {1, 2}), make.floats({kGroups}, {0, 1})}, grouped,
         {epsilon});
  const TensorId y = op(Op::reshape, {normal, make.ints(back)}, pieces.x);
  const TensorId scaled = op(Op::mul, {y, make.floats(pieces.terms, counted(4, 1))}, pieces.x);
  const TensorId shifted = op(Op::add, {scaled, make.floats(pieces.terms, counted(4, 5))}, pieces.x);
  return test::simplified(make, shifted);
}

TEST(FindGroupNorm, TakesTermsOfGroupsAndOfChannels) {
  for (const Shape& terms : {Shape{4, 1, 1}, Shape{1, 4, 1, 1}}) {
    const Graph graph = simplified({.terms = terms});
    ASSERT_EQ(text_of(graph), "GROUP_NORM");
    const Node& node = graph.nodes[0];
    EXPECT_EQ(node.attrs.integer(Attr::group), kGroups);
    EXPECT_FLOAT_EQ(float(node.attrs.real(Attr::epsilon)), 1e-3f);
    EXPECT_EQ(node.format, Format::nchw);
    EXPECT_EQ(node.inputs[0], graph.inputs[0]);
    EXPECT_EQ(floats_of(graph, node.inputs[1]), (std::vector<float>{1, 2, 6, 8}));
    EXPECT_EQ(floats_of(graph, node.inputs[2]), (std::vector<float>{5, 6, 10, 12}));
  }
}

TEST(FindGroupNorm, TakesAnyBatch) {
  EXPECT_EQ(text_of(simplified({.x = {-1, 4, 3, 5}, .grouped = {-1, kGroups, 1, 30}})), "GROUP_NORM");
}

TEST(FindGroupNorm, TakesOtherRanks) {
  EXPECT_EQ(text_of(simplified({.x = {2, 4, 15}, .terms = {4, 1}})), "GROUP_NORM");
  EXPECT_EQ(text_of(simplified({.x = {2, 4, 3, 1, 5}, .terms = {4, 1, 1, 1}})), "GROUP_NORM");
}

// The two reshapes before the groups have been merged.
TEST(FindGroupNorm, ReshapesWhatIsNoImageYet) {
  EXPECT_EQ(text_of(simplified({.rows = {8, 15}})), "RESHAPE GROUP_NORM");
}

// Groups across batches, terms along another dimension, channels last.
TEST(FindGroupNorm, KeepsWhatOnlyLooksLikeIt) {
  const std::string all = "RESHAPE INSTANCE_NORM RESHAPE MUL ADD";
  EXPECT_EQ(text_of(simplified({.grouped = {1, kGroups, 1, 60}})), all);
  EXPECT_EQ(text_of(simplified({.x = {2, 4, 4, 5}, .grouped = {2, kGroups, 1, 40}, .terms = {4, 1}})), all);
  EXPECT_EQ(text_of(simplified({.grouped = {2, 15, 2, kGroups}, .format = Format::nhwc})), all);
}

}  // namespace
}  // namespace nnrt
