#include "backends/vulkan/passes/concat_elision.h"

#include "tests/support/graph_maker.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

constexpr int kAxis = 10;  // OH_NN_CONCAT_AXIS

class Maker : public test::GraphMaker {
 public:
  TensorId relu(Shape shape, DType dtype = DType::f32) {
    return op(Op::relu, {input(shape, dtype)}, shape, {}, dtype);
  }
  TensorId concat(const std::vector<TensorId>& parts, Shape shape, int64_t axis = -1,
                  DType dtype = DType::f32) {
    return op(Op::concat, parts, std::move(shape), {parameter<int64_t>(kAxis, DType::i64, {axis})}, dtype);
  }
  std::map<TensorId, ConcatSlice> concatenated(const std::vector<TensorId>& outputs) {
    const GraphPtr graph = finish(outputs);
    return concat_slices(*graph, graph->shapes);
  }
};

TEST(ConcatElision, LieOneBehindTheOtherInRowsOfTheResult) {
  Maker maker;
  const TensorId a = maker.relu({2, 3, 8}), b = maker.relu({2, 3, 4}), c = maker.relu({2, 3, 12});
  const TensorId all = maker.concat({a, b, c}, {2, 3, 24});
  const auto concatenated = maker.concatenated({maker.op(Op::abs, {all}, {2, 3, 24})});
  const Buffer buffer{Buffer::Space::tensor, all};
  EXPECT_EQ(concatenated, (std::map<TensorId, ConcatSlice>{
                              {a, {buffer, 0, 24}}, {b, {buffer, 8, 24}}, {c, {buffer, 12, 24}}}));
}

TEST(ConcatElision, AreOfFp16Too) {
  Maker maker;
  const TensorId a = maker.relu({3, 8}, DType::f16), b = maker.relu({3, 4}, DType::f16);
  const TensorId all = maker.concat({a, b}, {3, 12}, -1, DType::f16);
  const auto concatenated = maker.concatenated({maker.op(Op::abs, {all}, {3, 12}, {}, DType::f16)});
  EXPECT_EQ(concatenated.at(b), (ConcatSlice{{Buffer::Space::tensor, all}, 8, 12}));
}

TEST(ConcatElision, AreNotOfWhatOthersReadOrClientsOwn) {
  Maker maker;
  const TensorId a = maker.relu({3, 8}), b = maker.relu({3, 4}), c = maker.relu({3, 4});
  const TensorId fed = maker.input({3, 4}), fixed = maker.floats({3, 4}, std::vector<float>(12));
  const TensorId all = maker.concat({a, b, c, c, fed, fixed}, {3, 28});
  const auto concatenated = maker.concatenated({all, b});
  ASSERT_EQ(concatenated.size(), 1u);
  EXPECT_TRUE(concatenated.contains(a));
}

TEST(ConcatElision, AreOfWholeVec4AlongTheLastDimension) {
  Maker odd;
  EXPECT_TRUE(odd.concatenated({odd.concat({odd.relu({3, 6}), odd.relu({3, 6})}, {3, 12})}).empty());
  Maker outer;
  EXPECT_TRUE(
      outer.concatenated({outer.concat({outer.relu({3, 8}), outer.relu({3, 8})}, {6, 8}, 0)}).empty());
}

TEST(ConcatElision, AreNotOfWhatIsCopiedFurther) {
  Maker maker;
  const TensorId all = maker.concat({maker.relu({3, 8}), maker.relu({3, 8})}, {3, 16});
  EXPECT_TRUE(maker.concatenated({maker.op(Op::flatten, {all}, {3, 16})}).empty());
}

// As in DenseNet: what one layer adds is part of the next result too.
TEST(ConcatElision, AreOfWhatIsReadAndCopiedFurther) {
  Maker maker;
  const TensorId a = maker.relu({3, 8}), b = maker.relu({3, 8});
  const TensorId all = maker.concat({a, b}, {3, 16});
  const TensorId read = maker.op(Op::abs, {all}, {3, 16});
  const auto concatenated = maker.concatenated({read, maker.op(Op::flatten, {all}, {3, 16})});
  EXPECT_EQ(concatenated.at(b), (ConcatSlice{{Buffer::Space::tensor, all}, 8, 16}));
}

}  // namespace
}  // namespace nnrt::vulkan
