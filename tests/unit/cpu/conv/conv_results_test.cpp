// Hand-computed convolutions: rounding, activations, and outputs that no input reaches.
#include "tests/support/node_maker.h"

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

TEST(Conv2d, RoundsFp16AwayFromZero) {
  const auto got = NodeMaker(Op::conv2d)
                       .input<int8_t>({1, 1, 4, 1}, {1, -1, 3, -3}, {{0.5}, {0}})
                       .input<int8_t>({1, 1, 1, 1}, {1}, {{1.0}, {0}})
                       .input<int32_t>({1}, {0})
                       .output(DType::i8, {1, 1, 4, 1}, {{1.0}, {0}})
                       .run_for<int8_t>();
  EXPECT_EQ(got, (std::vector<int8_t>{1, -1, 2, -2}));
}

TEST(Conv2d, ClampsTheRealValueWhenActivated) {
  const auto got = NodeMaker(Op::conv2d)
                       .integer(Attr::activation, {2})
                       .input<int8_t>({1, 1, 3, 1}, {-9, 5, 100}, {{1.0}, {0}})
                       .input<int8_t>({1, 1, 1, 1}, {1}, {{1.0}, {0}})
                       .input<int32_t>({1}, {0})
                       .output(DType::i8, {1, 1, 3, 1}, {{0.5}, {-10}})
                       .run_for<int8_t>();
  EXPECT_EQ(got, (std::vector<int8_t>{-10, 0, 2}));
}

TEST(Conv2dTranspose, GivesTheBiasWhereNothingReaches) {
  const auto got = NodeMaker(Op::conv2d_transpose)
                       .integer(Attr::stride, {1, 3})
                       .integer(Attr::output_padding, {0, 1})
                       .input<float>({1, 1, 2, 1}, {2.0f, 3.0f})
                       .input<float>({1, 1, 1, 1}, {10.0f})
                       .input<float>({1}, {0.5f})
                       .output(DType::f32, {1, 1, 5, 1})
                       .run_for<float>();
  EXPECT_EQ(got, (std::vector<float>{20.5f, 0.5f, 0.5f, 30.5f, 0.5f}));
}

}  // namespace
}  // namespace nnrt::cpu
