#include "backends/cpu/simd/isa.h"
#include "tests/support/node_maker.h"

#include <bit>
#include <cmath>
#include <limits>
#include <ostream>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int32_t kIntMin = std::numeric_limits<int32_t>::min();

struct Case {
  Op op;
  std::vector<float> x, y;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << name(c.op); }

const Case kCases[] = {
    {Op::abs, {-1.5f, -0.0f, -kInf, kNan}, {1.5f, 0.0f, kInf, kNan}},
    {Op::ceil, {1e-20f, -0.5f, 8388609.0f, -kInf}, {1.0f, 0.0f, 8388609.0f, -kInf}},
    {Op::clip, {-3.0f, 5.0f, kInf}, {0.0f, 0.0f, 0.0f}},
    {Op::cos, {0.0f, 1.0f, kInf, 31.0f}, {1.0f, 0.5403023f, kNan, 0.91474236f}},
    {Op::erf, {0.5f, -kInf, kInf, kNan}, {0.52049988f, -1.0f, 1.0f, kNan}},
    {Op::exp, {0.0f, 1.0f, 89.0f, -kInf, kNan}, {1.0f, 2.7182817f, kInf, 0.0f, kNan}},
    {Op::floor, {-1e-20f, 2.5f, kNan}, {-1.0f, 2.0f, kNan}},
    {Op::gelu, {1.0f, -1.0f, 100.0f, -100.0f}, {0.84134475f, -0.15865525f, 100.0f, 0.0f}},
    {Op::hard_sigmoid, {-kInf, -1.0f, 3.5f, kNan}, {0.0f, 0.33333333f, 1.0f, kNan}},
    {Op::hswish, {-4.0f, 1.0f, 5.0f}, {0.0f, 0.66666667f, 5.0f}},
    {Op::leaky_relu, {-2.0f, 3.0f, kNan}, {0.0f, 3.0f, kNan}},
    {Op::log, {0.0f, -0.0f, -1.0f, kInf, 2.0f}, {-kInf, -kInf, kNan, kInf, 0.69314718f}},
    {Op::neg, {1.5f, -kInf, kNan}, {-1.5f, kInf, kNan}},
    {Op::reciprocal, {0.0f, -0.0f, kInf, 4.0f}, {kInf, -kInf, 0.0f, 0.25f}},
    {Op::relu, {-1.0f, 2.0f, kInf}, {0.0f, 2.0f, kInf}},
    {Op::relu6, {-1.0f, 2.0f, kInf}, {0.0f, 2.0f, 6.0f}},
    {Op::round,
     {0.5f, 1.5f, 2.5f, -2.5f, 0.49999997f, 8388609.0f},
     {1.0f, 2.0f, 3.0f, -3.0f, 0.0f, 8388609.0f}},
    {Op::round_half_even,
     {0.5f, 1.5f, 2.5f, -2.5f, 0.50000006f, 8388609.0f},
     {0.0f, 2.0f, 2.0f, -2.0f, 1.0f, 8388609.0f}},
    {Op::rsqrt, {0.0f, 4.0f, kInf, -1.0f}, {kInf, 0.5f, 0.0f, kNan}},
    {Op::sigmoid, {-kInf, -100.0f, 0.0f, kInf, kNan}, {0.0f, 0.0f, 0.5f, 1.0f, kNan}},
    {Op::sign, {-1e-30f, 0.0f, 65504.0f, -kInf, kNan}, {-1.0f, 0.0f, 1.0f, -1.0f, kNan}},
    {Op::sin, {0.0f, 1.0f, -kInf, 31.0f}, {0.0f, 0.84147098f, kNan, -0.40403764f}},
    {Op::sqrt, {-1.0f, 2.0f, kInf}, {kNan, 1.4142135f, kInf}},
    {Op::square, {-3.0f, 1e30f, -kInf, kNan}, {9.0f, kInf, kInf, kNan}},
    {Op::swish, {100.0f, -1000.0f, 1.0f, kInf, kNan}, {100.0f, 0.0f, 0.73105858f, kInf, kNan}},
    {Op::tanh, {-kInf, 50.0f, 1e-4f, 1.0f, kNan}, {-1.0f, 1.0f, 1e-4f, 0.76159416f, kNan}},
};

class Unary : public testing::TestWithParam<Case> {};

TEST_P(Unary, FollowsItsFormulaInFloat32) {
  const Case& c = GetParam();
  const Shape shape{int64_t(c.x.size())};
  test::expect_near(NodeMaker(c.op).input(shape, c.x).output(DType::f32, shape).run_for<float>(), c.y);
}

TEST_P(Unary, FollowsItsFormulaInFloat16) {
  const Case& c = GetParam();
  const Shape shape{int64_t(c.x.size())};
  std::vector<Half> x, rounded;
  std::vector<float> x_back;
  for (const float value : c.x) x.push_back(to_half(value));
  // The formula in FLOAT32 on the FLOAT16 operand, rounded once.
  const std::vector<float> wide =
      NodeMaker(c.op).input(shape, test::floats(x)).output(DType::f32, shape).run_for<float>();
  for (const float value : wide) rounded.push_back(to_half(value));
  const std::vector<Half> got = NodeMaker(c.op).input(shape, x).output(DType::f16, shape).run_for<Half>();
  test::expect_near(test::floats(got), test::floats(rounded), 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Operators, Unary, testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(name(c.param.op)); });

TEST(Unary, IntegersWrapAround) {
  const auto run = [](Op op) {
    return NodeMaker(op).input<int32_t>({3}, {kIntMin, -7, 65536}).output(DType::i32, {3}).run_for<int32_t>();
  };
  EXPECT_EQ(run(Op::abs), (std::vector<int32_t>{kIntMin, 7, 65536}));
  EXPECT_EQ(run(Op::neg), (std::vector<int32_t>{kIntMin, 7, -65536}));
  EXPECT_EQ(run(Op::square), (std::vector<int32_t>{0, 49, 0}));
  EXPECT_EQ(run(Op::relu), (std::vector<int32_t>{0, 0, 65536}));
  EXPECT_EQ(run(Op::sign), (std::vector<int32_t>{-1, -1, 1}));
  EXPECT_EQ(run(Op::bitwise_not), (std::vector<int32_t>{0x7fffffff, 6, -65537}));
}

TEST(Unary, NegatesNarrowIntegers) {
  EXPECT_EQ(NodeMaker(Op::neg).input<int8_t>({2}, {-128, 5}).output(DType::i8, {2}).run_for<int8_t>(),
            (std::vector<int8_t>{-128, -5}));
  EXPECT_EQ(NodeMaker(Op::neg).input<int16_t>({2}, {-32768, 5}).output(DType::i16, {2}).run_for<int16_t>(),
            (std::vector<int16_t>{-32768, -5}));
}

TEST(Unary, RoundsFloat64Exactly) {
  const double just_above = 16777217.0 + 0x1p-20;
  EXPECT_EQ(NodeMaker(Op::ceil).input<double>({1}, {just_above}).output(DType::f64, {1}).run_for<double>(),
            (std::vector<double>{16777218.0}));
}

TEST(Unary, ReadsAnyNonzeroByteAsTrue) {
  const std::vector<Bool> x{{0}, {1}, {2}, {255}};
  EXPECT_EQ(NodeMaker(Op::logical_not).input({4}, x).output(DType::boolean, {4}).run_for<uint8_t>(),
            (std::vector<uint8_t>{1, 0, 0, 0}));
}

TEST(Unary, TakesParameters) {
  const std::vector<float> x{-2.0f, 0.5f, 3.0f};
  const auto make = [&](Op op) { return std::move(NodeMaker(op).input({3}, x).output(DType::f32, {3})); };
  test::expect_near(make(Op::leaky_relu).real(Attr::slope, 2.0).run_for<float>(), {-4.0f, 0.5f, 3.0f});
  test::expect_near(make(Op::clip).real(Attr::min, -1.0).real(Attr::max, 2.0).run_for<float>(),
                    {-1.0f, 0.5f, 2.0f});
  test::expect_near(
      make(Op::exp).real(Attr::base, 2.0).real(Attr::scale, 2.0).real(Attr::shift, 1.0).run_for<float>(),
      {0.125f, 4.0f, 128.0f});
  test::expect_near(make(Op::gelu).integer(Attr::approximate, {1}).run_for<float>(),
                    {-0.045402306f, 0.34571401f, 2.9963627f});
}

TEST(Unary, RoundsAsCmathAtEveryWidth) {
  std::vector<float> x{0.0f,        -0.0f,        0.5f,       -0.5f,       1e-20f,     -1e-20f,
                       0.99999994f, -0.99999994f, 8388607.5f, -8388607.5f, 8388608.0f, -8388609.0f,
                       1e30f,       -1e30f,       kInf,       -kInf,       kNan};
  for (int i = -400; i <= 400; ++i) x.insert(x.end(), {float(i) * 0.37f, float(i) * 0.5f});
  const Shape shape{int64_t(x.size())};
  for (const Isa isa : {Isa::dotprod, Isa::avx2, Isa::baseline}) {
    const IsaLimit limit(isa);
    for (const Op op : {Op::floor, Op::ceil, Op::round, Op::round_half_even}) {
      const auto got = NodeMaker(op).input(shape, x).output(DType::f32, shape).run_for<float>();
      for (size_t i = 0; i < x.size(); ++i) {
        const float want = op == Op::floor   ? std::floor(x[i])
                           : op == Op::ceil  ? std::ceil(x[i])
                           : op == Op::round ? std::round(x[i])
                                             : std::nearbyint(x[i]);
        if (std::isnan(want)) {
          EXPECT_TRUE(std::isnan(got[i]));
        } else {
          EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(want))
              << name(op) << " " << x[i];
        }
      }
    }
  }
}

TEST(Unary, ClipTruncatesBoundsForIntegers) {
  EXPECT_EQ(NodeMaker(Op::clip)
                .input<int32_t>({3}, {-5, 0, 5})
                .real(Attr::min, -1.9)
                .real(Attr::max, kInf)
                .output(DType::i32, {3})
                .run_for<int32_t>(),
            (std::vector<int32_t>{-1, 0, 5}));
}

TEST(Unary, ComputesQuantizedValuesThroughFloats) {
  const Quant in{{0.5}, {3}}, out{{0.25}, {-10}};
  EXPECT_EQ(NodeMaker(Op::relu6)
                .input<int8_t>({4}, {-128, 3, 5, 127}, in)
                .output(DType::i8, {4}, out)
                .run_for<int8_t>(),
            (std::vector<int8_t>{-10, -10, -6, 14}));
}

TEST(Unary, QuantizedRsqrtSaturates) {
  const Quant quant{{0.25}, {0}};
  EXPECT_EQ(NodeMaker(Op::rsqrt)
                .input<int8_t>({3}, {-4, 0, 16}, quant)
                .output(DType::i8, {3}, quant)
                .run_for<int8_t>(),
            (std::vector<int8_t>{127, 127, 2}));
}

}  // namespace
}  // namespace nnrt::cpu
