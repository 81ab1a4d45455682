#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <limits>
#include <ostream>
#include <random>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

template <typename T>
struct Case {
  Op op;
  std::vector<T> a, b, y;
};
template <typename T>
std::ostream& operator<<(std::ostream& out, const Case<T>& c) {
  return out << name(c.op);
}
template <typename T>
std::vector<T> run(const Case<T>& c) {
  const Shape shape{int64_t(c.a.size())};
  return NodeMaker(c.op).input(shape, c.a).input(shape, c.b).output(kDTypeOf<T>, shape).template run_for<T>();
}

class BinaryFloat : public testing::TestWithParam<Case<float>> {};
TEST_P(BinaryFloat, FollowsIeee) { test::expect_near(run(GetParam()), GetParam().y); }
const Case<float> kFloatCases[] = {
    {Op::add, {kInf, 1.5f, kNan}, {-kInf, 2.25f, 1.0f}, {kNan, 3.75f, kNan}},
    {Op::sub, {kInf, 1.0f, 2.0f}, {kInf, kNan, 0.5f}, {kNan, kNan, 1.5f}},
    {Op::mul, {kInf, -kInf, 3.0f}, {0.0f, -2.0f, 0.5f}, {kNan, kInf, 1.5f}},
    {Op::div, {1.0f, -1.0f, 0.0f, 7.0f}, {0.0f, 0.0f, 0.0f, 2.0f}, {kInf, -kInf, kNan, 3.5f}},
    {Op::mod,
     {5.5f, -5.5f, 1.0f, kInf, 2.0f, 6.0f},
     {2.0f, 2.0f, 0.0f, 2.0f, -kInf, 3.0f},
     {1.5f, -1.5f, kNan, kNan, 2.0f, 0.0f}},
    {Op::pow,
     {-2.0f, -2.0f, -2.0f, 0.0f, 0.0f, kNan},
     {3.0f, -2.0f, 0.5f, 2.0f, -1.0f, 0.0f},
     {-8.0f, 0.25f, kNan, 0.0f, kInf, 1.0f}},
    {Op::maximum, {kNan, 1.0f, -kInf, 3.0f}, {1.0f, kNan, -5.0f, 2.0f}, {kNan, kNan, -5.0f, 3.0f}},
    {Op::minimum, {kNan, 1.0f, kInf, 3.0f}, {1.0f, kNan, 5.0f, 2.0f}, {kNan, kNan, 5.0f, 2.0f}},
    {Op::squared_difference, {1.0f, 1e30f, kNan}, {-2.0f, -1e30f, 0.0f}, {9.0f, kInf, kNan}},
};
INSTANTIATE_TEST_SUITE_P(Operators, BinaryFloat, testing::ValuesIn(kFloatCases),
                         [](const auto& c) { return std::string(name(c.param.op)); });

class BinaryInt : public testing::TestWithParam<Case<int32_t>> {};
TEST_P(BinaryInt, WrapsAndNeverFails) { EXPECT_EQ(run(GetParam()), GetParam().y); }
const Case<int32_t> kIntCases[] = {
    {Op::add, {kMax, -3}, {1, 5}, {kMin, 2}},
    {Op::sub, {kMin, 3}, {1, 5}, {kMax, -2}},
    {Op::mul, {65536, -3}, {65536, 5}, {0, -15}},
    {Op::div, {-7, 7, kMin, 5}, {2, -2, -1, 0}, {-3, -3, kMin, 0}},
    {Op::mod, {-7, 7, kMin, 5}, {3, -3, -1, 0}, {-1, 1, 0, 0}},
    {Op::maximum, {16777217, -5}, {16777216, kMin}, {16777217, -5}},
    {Op::minimum, {16777217, -5}, {16777216, kMin}, {16777216, kMin}},
    {Op::squared_difference, {kMin, 5}, {kMax, 2}, {1, 9}},
    {Op::bitwise_and, {kMin, -6, 5}, {-1, 12, 3}, {kMin, 8, 1}},
    {Op::bitwise_or, {kMin, -6, 5}, {1, 12, 3}, {kMin + 1, -2, 7}},
    {Op::bitwise_xor, {kMin, -6, 5}, {-1, 12, 3}, {kMax, -10, 6}},
};
INSTANTIATE_TEST_SUITE_P(Operators, BinaryInt, testing::ValuesIn(kIntCases),
                         [](const auto& c) { return std::string(name(c.param.op)); });

TEST(Binary, ComparesInt64OverItsFullRange) {
  const int64_t large = (int64_t(1) << 60) + 1;
  EXPECT_EQ(NodeMaker(Op::maximum)
                .input<int64_t>({2}, {large, -large})
                .input<int64_t>({2}, {large - 1, -large - 1})
                .output(DType::i64, {2})
                .run_for<int64_t>(),
            (std::vector<int64_t>{large, -large}));
}

template <typename T>
std::vector<T> shifted(double direction, const std::vector<T>& x, const std::vector<T>& by) {
  const Shape shape{int64_t(x.size())};
  return NodeMaker(Op::bit_shift)
      .integer(Attr::direction, {direction})
      .input(shape, x)
      .input(shape, by)
      .output(kDTypeOf<T>, shape)
      .template run_for<T>();
}

TEST(Binary, ShiftsByAnyAmount) {
  constexpr double kLeft = 0, kRight = 1;
  using Bytes = std::vector<int8_t>;
  EXPECT_EQ(shifted<int8_t>(kLeft, {-1, 3, 64, 5, 5}, {7, 1, 1, 8, -1}), (Bytes{-128, 6, -128, 0, 0}));
  EXPECT_EQ(shifted<int8_t>(kRight, {-128, -7, 127, -5, 5, -5}, {7, 1, 6, 8, 8, -1}),
            (Bytes{-1, -4, 1, -1, 0, -1}));
  EXPECT_EQ(shifted<uint8_t>(kRight, {255, 128, 200}, {4, 7, 200}), (std::vector<uint8_t>{15, 1, 0}));
  const int64_t far = int64_t(1) << 40;
  EXPECT_EQ(shifted<int64_t>(kLeft, {1, 3, 1, 1}, {40, 63, 64, far}),
            (std::vector<int64_t>{far, std::numeric_limits<int64_t>::min(), 0, 0}));
  EXPECT_EQ(shifted<int64_t>(kRight, {-far, far, -1}, {40, 39, far}), (std::vector<int64_t>{-1, 2, -1}));
}

TEST(Binary, BroadcastsBothOperands) {
  EXPECT_EQ(NodeMaker(Op::sub)
                .input<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6})
                .input<float>({2, 1}, {10, 20})
                .output(DType::f32, {2, 2, 3})
                .run_for<float>(),
            (std::vector<float>{-9, -8, -7, -19, -18, -17, -6, -5, -4, -16, -15, -14}));
}

TEST(Binary, TakesAScalarOnEitherSide) {
  EXPECT_EQ(NodeMaker(Op::sub)
                .input<float>({}, {10})
                .input<float>({3}, {1, 2, 3})
                .output(DType::f32, {3})
                .run_for<float>(),
            (std::vector<float>{9, 8, 7}));
  EXPECT_EQ(NodeMaker(Op::sub)
                .input<float>({1}, {10})
                .input<float>({1}, {1})
                .output(DType::f32, {})
                .run_for<float>(),
            (std::vector<float>{9}));
}

TEST(Binary, PromotesMixedDtypes) {
  EXPECT_EQ(NodeMaker(Op::add)
                .input<int32_t>({2}, {1, -2})
                .input<float>({2}, {0.5f, 0.25f})
                .output(DType::f32, {2})
                .run_for<float>(),
            (std::vector<float>{1.5f, -1.75f}));
  EXPECT_EQ(NodeMaker(Op::mul)
                .input<Bool>({2}, {{7}, {0}})
                .input<uint8_t>({2}, {200, 3})
                .output(DType::u8, {2})
                .run_for<uint8_t>(),
            (std::vector<uint8_t>{200, 0}));
}

TEST(Binary, ComputesBooleansLogically) {
  const std::vector<Bool> a{{0}, {0}, {2}, {1}}, b{{0}, {1}, {0}, {255}};
  const auto run = [&](Op op) {
    return NodeMaker(op).input({4}, a).input({4}, b).output(DType::boolean, {4}).run_for<uint8_t>();
  };
  EXPECT_EQ(run(Op::add), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(run(Op::mul), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(run(Op::squared_difference), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(run(Op::logical_and), (std::vector<uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(run(Op::logical_or), (std::vector<uint8_t>{0, 1, 1, 1}));
  EXPECT_EQ(run(Op::less), (std::vector<uint8_t>{0, 1, 0, 0}));
}

TEST(Binary, FusesActivations) {
  const auto run = [](double activation) {
    return NodeMaker(Op::add)
        .input<int32_t>({3}, {-5, 3, 5})
        .input<int32_t>({1}, {2})
        .integer(Attr::activation, {activation})
        .output(DType::i32, {3})
        .run_for<int32_t>();
  };
  EXPECT_EQ(run(1), (std::vector<int32_t>{0, 5, 7}));
  EXPECT_EQ(run(2), (std::vector<int32_t>{0, 5, 6}));
}

TEST(Binary, ComputesInFloatForFloat16) {
  // 2048 + 1 is a tie in FLOAT16; rounding three times would differ.
  EXPECT_EQ(test::floats(NodeMaker(Op::add)
                             .input({3}, test::fp16_values({2048, 65504, 1}))
                             .input({3}, test::fp16_values({1, 65504, 0.5f}))
                             .output(DType::f16, {3})
                             .run_for<Half>()),
            (std::vector<float>{2048, kInf, 1.5f}));
}

TEST(Binary, AddsQuantizedTensorsOfDifferentParameters) {
  EXPECT_EQ(NodeMaker(Op::add)
                .input<int8_t>({3}, {10, 127, -128}, {{0.5}, {0}})
                .input<int8_t>({3}, {5, 127, -128}, {{0.25}, {1}})
                .output(DType::i8, {3}, {{1.0}, {-2}})
                .run_for<int8_t>(),
            (std::vector<int8_t>{4, 93, -98}));  // 6 - 2; 95 - 2; -96.25 - 2
}

struct QuantizedOperands {
  Affine a, b, to;
};

double real_result(Op op, double a, double b) {
  return op == Op::mul ? a * b : op == Op::sub ? a - b : a + b;
}

// All pairs of quantized values; `shape_b` may repeat b's values.
void expect_exact(Op op, const QuantizedOperands& scales, Activation activation, const Shape& shape,
                  const std::vector<int8_t>& a, const Shape& shape_b, const std::vector<int8_t>& b) {
  std::vector<int8_t> want;
  for (size_t i = 0; i < a.size(); ++i) {
    const int8_t other =
        b[shape_b.size() == 1 || shape_b.back() > 1 ? i % b.size() : i / size_t(shape.back())];
    const double real = real_result(op, dequantize(a[i], scales.a), dequantize(other, scales.b));
    want.push_back(quantize<int8_t>(apply_activation(activation, real), scales.to));
  }
  const auto quant = [](Affine affine) {
    return Quant{{affine.scale}, {affine.zero_point}, affine.ties_to_even};
  };
  const auto got = NodeMaker(op)
                       .integer(Attr::activation, {double(activation)})
                       .input(shape, a, quant(scales.a))
                       .input(shape_b, b, quant(scales.b))
                       .output(DType::i8, shape, quant(scales.to))
                       .run_for<int8_t>();
  EXPECT_EQ(got, want) << name(op) << " " << scales.to.scale << " " << int(activation);
}

// Some scales make half of all results ties.
const QuantizedOperands kScales[] = {{{0.05, 3}, {0.05, -2}, {0.1, 7}},
                                     {{0.1, 0}, {0.3, 0}, {0.2, -128}},
                                     {{0.0173, -128}, {0.0219, 5}, {0.0311, -128}},
                                     {{1, 0}, {2, 0}, {6, 1}},
                                     {{0.5, -3}, {0.25, 4}, {0.25, 10, true}},
                                     {{0.0039, -128}, {0.0571, 6}, {0.0309, -119, true}},
                                     {{1e-3, 0}, {1, 127}, {0.02, 0}}};

void expect_exact_arithmetic() {
  std::vector<int8_t> a, b, row;
  for (int code = -128; code < 128; ++code)
    for (int other = -128; other < 128; ++other) {
      a.push_back(int8_t(code));
      b.push_back(int8_t(other));
    }
  for (int code = -128; code < 128; code += 3) row.push_back(int8_t(code));
  for (const Op op : {Op::add, Op::sub, Op::mul}) {
    for (const QuantizedOperands& scales : kScales) {
      for (const Activation activation : {Activation::none, Activation::relu, Activation::relu6}) {
        const std::vector<int8_t> x(a.begin(), a.end() - 1), y(b.begin(), b.end() - 1);  // an odd length
        expect_exact(op, scales, activation, {int64_t(x.size())}, x, {int64_t(x.size())}, y);
      }
      const int64_t width = int64_t(row.size()), rows = 700;
      const std::vector<int8_t> x(a.begin(), a.begin() + rows * width);
      expect_exact(op, scales, Activation::none, {rows, width}, x, {width}, row);
      const std::vector<int8_t> column(b.begin(), b.begin() + rows);
      expect_exact(op, scales, Activation::none, {rows, width}, x, {rows, 1}, column);
      expect_exact(op, scales, Activation::none, {100, 256}, {a.begin(), a.begin() + 25600}, {256},
                   {b.begin(), b.begin() + 256});
      expect_exact(op, scales, Activation::none, {100, 300}, {a.begin(), a.begin() + 30000}, {300},
                   {b.begin(), b.begin() + 300});
    }
  }
}

TEST(Binary, ComputesQuantizedTensorsExactly) { expect_exact_arithmetic(); }

TEST(Binary, ComputesQuantizedTensorsExactlyOnLesserProcessors) {
  for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::baseline}) {
    const IsaLimit limit(isa);
    expect_exact_arithmetic();
  }
}

TEST(Binary, DecidesTiesOfQuantizedProducts) {
  std::vector<int8_t> a, b;
  for (int i = 0; i < 65536; ++i) {
    a.push_back(int8_t(i >> 8));
    b.push_back(int8_t(i));
  }
  const float scales[] = {0.02f, 0.04f, 0.1f, 0.05f, 0.5f, 0.25f, 1 / 3.0f, 1 / 256.0f, 0.0173f, 3};
  std::mt19937 random(1);
  const auto drawn = [&](bool ties_to_even) {
    return Affine{double(scales[random() % std::size(scales)]), int32_t(random() % 256) - 128, ties_to_even};
  };
  for (int i = 0; i < 60; ++i) {
    const QuantizedOperands operands{drawn(false), drawn(false), drawn(i % 2 == 0)};
    const Activation activation = i % 3 == 0 ? Activation::relu6 : Activation::none;
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::baseline}) {
      const IsaLimit limit(isa);
      expect_exact(Op::mul, operands, activation, {65536}, a, {65536}, b);
    }
  }
}

TEST(Binary, BroadcastsChannelsOnEitherSide) {
  const QuantizedOperands scales{{0.02, 5}, {0.011, -7}, {0.017, 3}};
  for (const int64_t width : {1, 3, 8, 31, 64, 255, 257}) {
    const int64_t rows = 1 + 5000 / width;
    std::vector<int8_t> all, row;
    for (int64_t i = 0; i < rows * width; ++i) all.push_back(int8_t(i * 37 % 251));
    for (int64_t i = 0; i < width; ++i) row.push_back(int8_t(i * 71 + 9));
    expect_exact(Op::mul, scales, Activation::none, {rows, width}, all, {width}, row);
    const auto swapped = NodeMaker(Op::mul)
                             .input({width}, row, {{0.011}, {-7}})
                             .input({rows, width}, all, {{0.02}, {5}})
                             .output(DType::i8, {rows, width}, {{0.017}, {3}})
                             .run_for<int8_t>();
    const auto straight = NodeMaker(Op::mul)
                              .input({rows, width}, all, {{0.02}, {5}})
                              .input({width}, row, {{0.011}, {-7}})
                              .output(DType::i8, {rows, width}, {{0.017}, {3}})
                              .run_for<int8_t>();
    EXPECT_EQ(swapped, straight) << width;
  }
}

TEST(Binary, BiasAndSlopeLieAlongTheChannel) {
  const std::vector<float> x{-1, -2, -3, -4, -5, -6, -7, -8};
  EXPECT_EQ(NodeMaker(Op::prelu)
                .input({1, 2, 2, 2}, x, {}, Format::nchw)
                .input<float>({2}, {1, 10})
                .output(DType::f32, {1, 2, 2, 2})
                .run_for<float>(),
            (std::vector<float>{-1, -2, -3, -4, -50, -60, -70, -80}));
  EXPECT_EQ(NodeMaker(Op::bias_add)
                .input({1, 2, 2, 2}, x, {}, Format::nhwc)
                .input<float>({2}, {1, 10})
                .output(DType::f32, {1, 2, 2, 2})
                .run_for<float>(),
            (std::vector<float>{0, 8, -2, 6, -4, 4, -6, 2}));
}

struct Comparison {
  Op op;
  std::vector<uint8_t> y;
};
const Comparison kComparisons[] = {
    {Op::equal, {0, 0, 1, 0, 1}}, {Op::greater, {0, 1, 0, 0, 0}},    {Op::greater_equal, {0, 1, 1, 0, 1}},
    {Op::less, {1, 0, 0, 0, 0}},  {Op::less_equal, {1, 0, 1, 0, 1}}, {Op::not_equal, {1, 1, 0, 1, 0}},
};

TEST(Comparison, NanIsOnlyUnequal) {
  for (const Comparison& c : kComparisons) {
    EXPECT_EQ(NodeMaker(c.op)
                  .input<float>({5}, {1, 2, kInf, kNan, -0.0f})
                  .input<float>({5}, {2, 1, kInf, kNan, 0.0f})
                  .output(DType::boolean, {5})
                  .run_for<uint8_t>(),
              c.y)
        << name(c.op);
  }
}

TEST(Comparison, IsExactForIntegers) {
  EXPECT_EQ(NodeMaker(Op::greater)
                .input<int32_t>({2}, {16777217, -1})
                .input<int64_t>({2}, {16777216, -2})
                .output(DType::boolean, {2})
                .run_for<uint8_t>(),
            (std::vector<uint8_t>{1, 1}));
}

TEST(Comparison, ComparesDequantizedValues) {
  EXPECT_EQ(NodeMaker(Op::less)
                .input<int8_t>({2}, {10, 10}, {{0.5}, {0}})
                .input<uint8_t>({2}, {20, 21}, {{0.25}, {0}})
                .output(DType::boolean, {2})
                .run_for<uint8_t>(),
            (std::vector<uint8_t>{0, 1}));
}

}  // namespace
}  // namespace nnrt::cpu
