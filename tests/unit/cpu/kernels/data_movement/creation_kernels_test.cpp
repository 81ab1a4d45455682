#include "tests/support/node_maker.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

TEST(Make, FillsWithOneValue) {
  EXPECT_EQ(NodeMaker(Op::fill)
                .input<int64_t>({}, {-7})
                .input<int32_t>({2}, {1, 3})
                .output(DType::i64, {1, 3})
                .run_for<int64_t>(),
            (std::vector<int64_t>{-7, -7, -7}));
}

TEST(Make, ConvertsTheConstantAsCastDoes) {
  const auto run = []<typename T>(T) {
    return NodeMaker(Op::constant_of_shape)
        .input<int32_t>({1}, {2})
        .real(Attr::value, -2.75)
        .output(kDTypeOf<T>, {2})
        .template run_for<T>();
  };
  EXPECT_EQ(run(int32_t{}), (std::vector<int32_t>{-2, -2}));
  EXPECT_EQ(run(uint8_t{}), (std::vector<uint8_t>{0, 0}));
  EXPECT_EQ(run(Bool{})[1].bits, 1);
  EXPECT_EQ(test::floats(run(Half{})), (std::vector<float>{-2.75f, -2.75f}));
}

TEST(Make, CountsDown) {
  EXPECT_EQ(NodeMaker(Op::range)
                .input<float>({1}, {0})
                .integer(Attr::start, {5})
                .integer(Attr::limit, {-2})
                .integer(Attr::delta, {-3})
                .output(DType::f32, {3})
                .run_for<float>(),
            (std::vector<float>{5, 2, -1}));
}

TEST(Make, TellsShapeAndRank) {
  const std::vector<int8_t> x(30);
  EXPECT_EQ(NodeMaker(Op::shape).input({2, 3, 5}, x).output(DType::i32, {3}).run_for<int32_t>(),
            (std::vector<int32_t>{2, 3, 5}));
  EXPECT_EQ(NodeMaker(Op::rank).input({2, 3, 5}, x).output(DType::i32, {1}).run_for<int32_t>(),
            (std::vector<int32_t>{3}));
}

}  // namespace
}  // namespace nnrt::cpu
