#include "backends/cpu/simd/isa.h"
#include "tests/support/kernels_variable.h"
#include "tests/support/node_maker.h"

#include <cmath>
#include <functional>
#include <limits>
#include <ostream>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Operators with their formula.
struct Formula {
  Op op;
  double start;
  double (*join)(double total, double x);
  double (*finish)(double total, double count);
};
std::ostream& operator<<(std::ostream& out, const Formula& f) { return out << name(f.op); }

double add(double a, double b) { return a + b; }
double add_square(double a, double b) { return a + b * b; }
double multiply(double a, double b) { return a * b; }
double maximum(double a, double b) { return std::max(a, b); }
double minimum(double a, double b) { return std::min(a, b); }
double itself(double a, double) { return a; }
double root(double a, double) { return std::sqrt(a); }
double divide(double a, double count) { return a / count; }

const Formula kFormulas[] = {
    {Op::reduce_mean, 0, add, divide},       {Op::reduce_sum, 0, add, itself},
    {Op::reduce_prod, 1, multiply, itself},  {Op::reduce_max, -kInf, maximum, itself},
    {Op::reduce_min, kInf, minimum, itself}, {Op::reduce_l2, 0, add_square, root},
};

const Shape kShape{3, 5, 2, 7};

std::vector<float> sample() {
  std::vector<float> values;
  for (int i = 0; i < 210; ++i) values.push_back(float(i * 37 % 101 + 50) / 100);
  return values;
}

// Reference reduction over the dimensions in the bit mask.
std::vector<float> reduced(const Formula& f, unsigned axes) {
  const std::vector<float> x = sample();
  size_t groups = 1;
  for (size_t d = 0; d < 4; ++d) groups *= (axes >> d & 1u) != 0 ? 1 : size_t(kShape[d]);
  std::vector<double> totals(groups, f.start);
  for (size_t i = 0; i < x.size(); ++i) {
    size_t rest = i, group = 0, step = 1;
    for (size_t d = 4; d-- > 0; rest /= size_t(kShape[d])) {
      if ((axes >> d & 1u) != 0) continue;
      group += rest % size_t(kShape[d]) * step;
      step *= size_t(kShape[d]);
    }
    totals[group] = f.join(totals[group], double(x[i]));
  }
  std::vector<float> result;
  for (const double total : totals) result.push_back(float(f.finish(total, double(x.size() / groups))));
  return result;
}

class Reduction : public testing::TestWithParam<Formula> {};

void expect_any_axes(const Formula& formula) {
  for (unsigned axes = 1; axes < 16; ++axes) {
    std::vector<int64_t> list;
    for (int64_t d = 3; d >= 0; --d)
      if ((axes >> d & 1u) != 0) list.push_back(d % 2 == 0 ? d : d - 4);
    const std::vector<float> want = reduced(formula, axes);
    const auto got = NodeMaker(formula.op)
                         .input(kShape, sample())
                         .input(Shape{int64_t(list.size())}, list)
                         .output(DType::f32, {int64_t(want.size())})
                         .run_for<float>();
    test::expect_near(got, want);
  }
}

TEST_P(Reduction, TakesAnySetOfAxes) { expect_any_axes(GetParam()); }

TEST_P(Reduction, IsTheSameByEachImplementation) {
  for (const char* const kernels : {"+row_reduce", "-row_reduce", "+column_reduce"}) {
    const test::KernelsVariable variable(kernels);
    expect_any_axes(GetParam());
  }
}

// Runs of each length class, and columns.
TEST_P(Reduction, IsTheSameAtEveryVectorLength) {
  const Formula& f = GetParam();
  for (const int64_t length : {5, 8, 77, 300}) {
    constexpr int64_t kRows = 6;
    std::vector<float> x;
    for (int64_t i = 0; i < kRows * length; ++i) x.push_back(1 + float(i * 37 % 101 - 50) / 4096);
    for (const int64_t axis : {0, 1}) {
      const int64_t groups = axis == 0 ? length : kRows, size = axis == 0 ? kRows : length;
      std::vector<float> want;
      for (int64_t g = 0; g < groups; ++g) {
        double total = f.start;
        for (int64_t i = 0; i < size; ++i)
          total = f.join(total, double(x[size_t(axis == 0 ? i * length + g : g * length + i)]));
        want.push_back(float(f.finish(total, double(size))));
      }
      std::vector<float> first;
      for (const Isa isa : {Isa::baseline, Isa::avx2, Isa::amx}) {
        const IsaLimit limit(isa);
        const auto got = NodeMaker(f.op)
                             .input({kRows, length}, x)
                             .input<int64_t>({1}, {axis})
                             .output(DType::f32, {groups})
                             .run_for<float>();
        test::expect_near(got, want, 1e-6f);
        if (first.empty()) first = got;
        EXPECT_EQ(got, first) << length << ", axis " << axis;
      }
    }
  }
}

TEST_P(Reduction, ScalesItsResultWhenReducingToTheEnd) {
  std::vector<float> want = reduced(GetParam(), 0b1110);
  for (float& value : want) value *= 0.5f;
  const auto got = NodeMaker(GetParam().op)
                       .integer(Attr::reduce_to_end, {1})
                       .real(Attr::coeff, 0.5)
                       .input(kShape, sample())
                       .input<int32_t>({1}, {1})
                       .output(DType::f32, {3})
                       .run_for<float>();
  test::expect_near(got, want);
}

TEST_P(Reduction, IgnoresACoefficientOtherwise) {
  const auto got = NodeMaker(GetParam().op)
                       .real(Attr::coeff, 0.5)
                       .input(kShape, sample())
                       .input<int32_t>({1}, {-1})
                       .output(DType::f32, {30})
                       .run_for<float>();
  test::expect_near(got, reduced(GetParam(), 0b1000));
}

INSTANTIATE_TEST_SUITE_P(Formulas, Reduction, testing::ValuesIn(kFormulas),
                         [](const auto& f) { return std::string(name(f.param.op)); });

std::vector<float> reduce(Op op, const std::vector<float>& x) {
  return NodeMaker(op)
      .input(Shape{int64_t(x.size())}, x)
      .input<int32_t>({1}, {0})
      .output(DType::f32, {})
      .run_for<float>();
}

TEST(Reduction, FollowsTheRulesForInfinities) {
  test::expect_near(reduce(Op::reduce_max, {-kInf, -kInf}), {-kInf});
  test::expect_near(reduce(Op::reduce_min, {kInf, kInf}), {kInf});
  test::expect_near(reduce(Op::reduce_sum, {kInf, 1, -kInf}), {kNan});
  test::expect_near(reduce(Op::reduce_mean, {kInf, 1}), {kInf});
  test::expect_near(reduce(Op::reduce_prod, {0, kInf}), {kNan});
  test::expect_near(reduce(Op::reduce_l2, {1e15f, 1e15f}), {1.41421356e15f});
}

TEST(Reduction, KeepsPrecisionUnderACommonOffset) {
  std::vector<float> x;
  for (int i = 0; i < 100003; ++i) x.push_back(1e6f + float(i % 7) / 16);
  EXPECT_EQ(reduce(Op::reduce_mean, x), std::vector<float>{1e6f + 3.0f / 16});
}

std::vector<int32_t> reduce_integers(Op op, const std::vector<int32_t>& x) {
  return NodeMaker(op)
      .input(Shape{int64_t(x.size())}, x)
      .input<int64_t>({1}, {0})
      .output(DType::i32, {1})
      .run_for<int32_t>();
}

TEST(Reduction, OfIntegersIsExactAndWrapsAround) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(reduce_integers(Op::reduce_sum, {kMax, 1}), std::vector<int32_t>{kMin});
  EXPECT_EQ(reduce_integers(Op::reduce_prod, {65537, 65537}), std::vector<int32_t>{131073});
  EXPECT_EQ(reduce_integers(Op::reduce_mean, {kMax, kMax, kMax - 1}), std::vector<int32_t>{kMax - 1});
  EXPECT_EQ(reduce_integers(Op::reduce_mean, {-3, -4}), std::vector<int32_t>{-3});
  EXPECT_EQ(reduce_integers(Op::reduce_max, {16777217, 16777216}), std::vector<int32_t>{16777217});
  EXPECT_EQ(reduce_integers(Op::reduce_min, {kMin, kMin + 1}), std::vector<int32_t>{kMin});
}

TEST(ReduceMean, ComputesOnDequantizedValues) {
  const auto got = NodeMaker(Op::reduce_mean)
                       .input<int8_t>({2, 2}, {10, 13, -20, -23}, {{0.5}, {2}})
                       .input<int32_t>({1}, {1})
                       .output(DType::i8, {2}, {{0.25}, {1}})
                       .run_for<int8_t>();
  EXPECT_EQ(got, (std::vector<int8_t>{20, -46}));
}

TEST(ReduceSum, SumsFloat16InFloat32) {
  const auto got = NodeMaker(Op::reduce_sum)
                       .input({4099}, std::vector<Half>(4099, to_half(1.0f)))
                       .input<int32_t>({1}, {0})
                       .output(DType::f16, {1})
                       .run_for<Half>();
  EXPECT_EQ(test::floats(got), std::vector<float>{4100});
}

template <typename T>
std::vector<uint8_t> all_of(Op op, const std::vector<T>& x) {
  NodeMaker maker(op);
  maker.input({2, 2}, x);
  maker.input<int32_t>({1}, {1}).output(DType::boolean, {2});
  maker.run();
  return maker.result<uint8_t>();
}

TEST(All, CountsEverythingButZeroAsTrue) {
  const std::vector<uint8_t> want{1, 0};
  EXPECT_EQ(all_of<float>(Op::all, {kNan, 1e-20f, 1, -0.0f}), want);
  EXPECT_EQ(all_of<int64_t>(Op::all, {1ll << 40, -1, 0, 1}), want);
  EXPECT_EQ(all_of<Half>(Op::all, test::fp16_values({0.5f, -kInf, -0.0f, 1})), want);
  EXPECT_EQ(all_of<Bool>(Op::all, {{2}, {1}, {1}, {0}}), want);
  EXPECT_EQ(all_of<Bool>(Op::reduce_all, {{255}, {1}, {0}, {1}}), want);
}

TEST(ArgMax, PicksTheFirstOfEqualElements) {
  const auto got = NodeMaker(Op::arg_max)
                       .integer(Attr::axis, {0})
                       .input<float>({3, 2}, {1, 9, 4, 9, 4, 8})
                       .output(DType::i32, {2})
                       .run_for<int32_t>();
  EXPECT_EQ(got, (std::vector<int32_t>{1, 0}));
}

TEST(ArgMax, OrdersSeveralByDescendingValue) {
  const auto got = NodeMaker(Op::arg_max)
                       .integer(Attr::axis, {-1})
                       .integer(Attr::top_k, {3})
                       .input<int8_t>({2, 5}, {3, -1, 7, 3, -128, 127, 0, 1, 2, 3})
                       .output(DType::i64, {2, 3})
                       .run_for<int64_t>();
  EXPECT_EQ(got, (std::vector<int64_t>{2, 0, 3, 0, 4, 3}));
}

TEST(ArgMax, GivesTheValuesThemselves) {
  const auto got = NodeMaker(Op::arg_max)
                       .integer(Attr::axis, {0})
                       .integer(Attr::top_k, {2})
                       .integer(Attr::out_max_value, {1})
                       .input({3, 2}, test::fp16_values({1, kInf, 0.1f, -2, 65504, 5}))
                       .output(DType::f16, {2, 2})
                       .run_for<Half>();
  EXPECT_EQ(got, test::fp16_values({65504, kInf, 1, 5}));
}

TEST(ArgMax, ComparesIntegersExactly) {
  const auto got = NodeMaker(Op::arg_max)
                       .input<int32_t>({3}, {16777216, 16777217, 16777216})
                       .output(DType::i32, {})
                       .run_for<int32_t>();
  EXPECT_EQ(got, std::vector<int32_t>{1});
}

TEST(ArgMax, PassesOverNan) {
  const auto got = NodeMaker(Op::arg_max)
                       .integer(Attr::top_k, {4})
                       .input<float>({4}, {kNan, 1, kNan, 2})
                       .output(DType::i32, {4})
                       .run_for<int32_t>();
  EXPECT_EQ(got, (std::vector<int32_t>{3, 1, 0, 2}));
}

}  // namespace
}  // namespace nnrt::cpu
