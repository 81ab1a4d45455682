#include "tests/support/node_maker.h"

#include <limits>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Select, ChoosesWithoutArithmetic) {
  EXPECT_EQ(NodeMaker(Op::select)
                .input<Bool>({3}, {{1}, {0}, {9}})
                .input<float>({3}, {1, kNan, 3})
                .input<float>({3}, {kNan, 5, kNan})
                .output(DType::f32, {3})
                .run_for<float>(),
            (std::vector<float>{1, 5, 3}));
}

TEST(Select, OneConditionChoosesAWholeInput) {
  EXPECT_EQ(NodeMaker(Op::select)
                .input<Bool>({1, 1, 1}, {{0}})
                .input<int64_t>({2}, {1, 2})
                .input<int64_t>({2}, {3, 4})
                .output(DType::i64, {2})
                .run_for<int64_t>(),
            (std::vector<int64_t>{3, 4}));
}

TEST(Where, BroadcastsAllThree) {
  EXPECT_EQ(NodeMaker(Op::where)
                .input<Bool>({3}, {{1}, {0}, {1}})
                .input<int16_t>({2, 1}, {1, 2})
                .input<int16_t>({}, {7})
                .output(DType::i16, {2, 3})
                .run_for<int16_t>(),
            (std::vector<int16_t>{1, 7, 1, 2, 7, 2}));
}

TEST(Where, TakesContiguousAndRepeatedOperands) {
  constexpr int64_t kCount = 77;
  std::vector<Bool> condition;
  std::vector<int32_t> a, b;
  for (int i = 0; i < kCount; ++i) {
    condition.push_back({uint8_t(i * 5 % 3)});
    a.push_back(i);
    b.push_back(1000 + i);
  }
  for (const bool each_a : {false, true})
    for (const bool each_b : {false, true}) {
      std::vector<int32_t> want;
      for (size_t i = 0; i < a.size(); ++i)
        want.push_back(condition[i].bits != 0 ? a[each_a ? i : 0] : b[each_b ? i : 0]);
      EXPECT_EQ(NodeMaker(Op::where)
                    .input<Bool>({kCount}, condition)
                    .input<int32_t>({each_a ? kCount : 1}, {a.begin(), each_a ? a.end() : a.begin() + 1})
                    .input<int32_t>({each_b ? kCount : 1}, {b.begin(), each_b ? b.end() : b.begin() + 1})
                    .output(DType::i32, {kCount})
                    .run_for<int32_t>(),
                want);
    }
}

TEST(Where, RequantizesInputsOfOtherParameters) {
  EXPECT_EQ(NodeMaker(Op::where)
                .input<Bool>({2}, {{1}, {0}})
                .input<int8_t>({2}, {10, 10}, {{0.5}, {0}})
                .input<int8_t>({2}, {10, 10}, {{1.0}, {0}})
                .output(DType::i8, {2}, {{1.0}, {0}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{5, 10}));
}

TEST(Scale, SpreadsItsTermsFromTheAxisOn) {
  EXPECT_EQ(NodeMaker(Op::scale)
                .input<float>({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
                .input<float>({3}, {1, 10, -1})
                .input<float>({3}, {0, 1, 2})
                .integer(Attr::axis, {-2})
                .integer(Attr::activation, {1})
                .output(DType::f32, {2, 3, 2})
                .run_for<float>(),
            (std::vector<float>{1, 2, 31, 41, 0, 0, 7, 8, 91, 101, 0, 0}));
}

TEST(Scale, TermsMayHaveSeveralDimensions) {
  EXPECT_EQ(NodeMaker(Op::scale)
                .input<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
                .input<float>({2, 2}, {1, 2, 3, 4})
                .input<float>({2, 2}, {0, 0, 0, 1})
                .integer(Attr::axis, {1})
                .output(DType::f32, {2, 2, 2})
                .run_for<float>(),
            (std::vector<float>{1, 4, 9, 17, 5, 12, 21, 33}));
}

TEST(BatchNorm, KeepsTheDifferenceFromALargeMean) {
  const auto run = [](Format format) {
    return NodeMaker(Op::batch_norm)
        .input<float>({1, 2, 2}, {10000.5f, 10001.0f, 3.0f, 5.0f}, {}, format)
        .input<float>({2}, {1, 2})
        .input<float>({2}, {0, 1})
        .input<float>({2}, {10000, 1})
        .input<float>({2}, {0.25f, 4})
        .real(Attr::epsilon, 0.0)
        .output(DType::f32, {1, 2, 2})
        .run_for<float>();
  };
  test::expect_near(run(Format::nchw), {1, 2, 3, 5});
  test::expect_near(run(Format::nhwc), {1, 10001, -19994, 5});
}

TEST(BatchNorm, ComputesInFloatForFloat16) {
  EXPECT_EQ(test::floats(NodeMaker(Op::batch_norm)
                             .input({1, 1}, test::fp16_values({3}))
                             .input({1}, test::fp16_values({2}))
                             .input({1}, test::fp16_values({1}))
                             .input({1}, test::fp16_values({1}))
                             .input({1}, test::fp16_values({4}))
                             .real(Attr::epsilon, 0.0)
                             .output(DType::f16, {1, 1})
                             .run_for<Half>()),
            (std::vector<float>{3}));
}

}  // namespace
}  // namespace nnrt::cpu
