#include "tests/support/node_maker.h"

#include <cmath>
#include <limits>

namespace nnrt::cpu {
namespace {

using test::NodeMaker;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> counted(int64_t count) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(float(i * 37 % 101) / 16 - 3);
  return values;
}

// Reference softmax along the middle dimension of [outer, length, inner].
std::vector<float> softmax(const std::vector<float>& x, size_t length, size_t inner, bool logarithm) {
  std::vector<float> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t first = i / (length * inner) * length * inner + i % inner;
    double sum = 0;
    for (size_t k = 0; k < length; ++k) sum += std::exp(double(x[first + k * inner]));
    y[i] = float(logarithm ? double(x[i]) - std::log(sum) : std::exp(double(x[i])) / sum);
  }
  return y;
}

TEST(Softmax, WorksAlongAnyAxis) {
  const Shape shape{3, 7, 37};
  const std::vector<float> x = counted(777);
  const size_t lengths[] = {3, 7, 37}, inners[] = {259, 37, 1};
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const Op op : {Op::softmax, Op::log_softmax}) {
      const auto got = NodeMaker(op)
                           .integer(Attr::axis, {double(axis) - 3})
                           .input(shape, x)
                           .output(DType::f32, shape)
                           .run_for<float>();
      test::expect_near(got, softmax(x, lengths[axis], inners[axis], op == Op::log_softmax));
    }
  }
}

std::vector<float> normalize(Op op, const std::vector<float>& x) {
  const Shape shape{1, int64_t(x.size())};
  return NodeMaker(op).integer(Attr::axis, {1}).input(shape, x).output(DType::f32, shape).run_for<float>();
}

TEST(Softmax, StaysFiniteForLargeValues) {
  test::expect_near(normalize(Op::softmax, {1000, 1000, -kInf}), {0.5f, 0.5f, 0});
  test::expect_near(normalize(Op::softmax, {3e38f, -3e38f}), {1, 0});
}

TEST(LogSoftmax, FollowsTheRulesForInfinities) {
  test::expect_near(normalize(Op::log_softmax, {1000, 1000, -kInf}),
                    {-std::log(2.0f), -std::log(2.0f), -kInf});
  test::expect_near(normalize(Op::log_softmax, {-kInf, -kInf}), {kNan, kNan});
}

TEST(LogSoftmax, TakesFloat64) {
  const auto got =
      NodeMaker(Op::log_softmax).input<double>({2}, {1e300, 0}).output(DType::f64, {2}).run_for<double>();
  EXPECT_EQ(got, (std::vector<double>{0, -1e300}));
}

TEST(Softmax, ComputesOnDequantizedValues) {
  const auto got = NodeMaker(Op::softmax)
                       .input<int8_t>({1, 3}, {-128, 5, 5}, {{0.5}, {-3}})
                       .output(DType::i8, {1, 3}, {{1.0 / 256}, {-128}})
                       .run_for<int8_t>();
  EXPECT_EQ(got, (std::vector<int8_t>{-128, 0, 0}));
}

TEST(Softmax, StoresFloat16) {
  const auto got = NodeMaker(Op::softmax)
                       .input({1, 2}, test::fp16_values({60000, 60000}))
                       .output(DType::f16, {1, 2})
                       .run_for<Half>();
  EXPECT_EQ(test::floats(got), (std::vector<float>{0.5f, 0.5f}));
}

TEST(L2Normalize, TakesAllDimensionsWhereNoneAreNamed) {
  const auto got = NodeMaker(Op::l2_normalize)
                       .input<float>({2, 2}, {1, 1, 1, -1})
                       .output(DType::f32, {2, 2})
                       .run_for<float>();
  test::expect_near(got, {0.5f, 0.5f, 0.5f, -0.5f});
}

TEST(L2Normalize, TakesDimensionsThatAreNoNeighbours) {
  const auto got = NodeMaker(Op::l2_normalize)
                       .integer(Attr::axes, {0, -1})
                       .integer(Attr::activation, {1})
                       .input<float>({2, 2, 2}, {1, 1, 3, 0, 1, -1, 0, 4})
                       .output(DType::f32, {2, 2, 2})
                       .run_for<float>();
  test::expect_near(got, {0.5f, 0.5f, 0.6f, 0, 0.5f, 0, 0, 0.8f});
}

TEST(L2Normalize, TakesTheLargerOfSumAndEpsilon) {
  const auto normalized = [](const std::vector<float>& x) {
    return NodeMaker(Op::l2_normalize)
        .real(Attr::epsilon, 4)
        .input({2}, x)
        .output(DType::f32, {2})
        .run_for<float>();
  };
  test::expect_near(normalized({0, 0}), {0, 0});
  test::expect_near(normalized({1, 1}), {0.5f, 0.5f});
  test::expect_near(normalized({3e15f, 4e15f}), {0.6f, 0.8f});
}

TEST(LayerNorm, KeepsPrecisionUnderACommonOffset) {
  const auto got = NodeMaker(Op::layer_norm)
                       .real(Attr::epsilon, 0)
                       .input<float>({2, 2}, {4096, 4097, -1e6f, -1e6f + 0.125f})
                       .input<float>({2}, {1, 2})
                       .input<float>({2}, {0, 10})
                       .output(DType::f32, {2, 2})
                       .run_for<float>();
  test::expect_near(got, {-1, 12, -1, 12});
}

TEST(LayerNorm, GivesBetaForAConstantRow) {
  const auto got = NodeMaker(Op::layer_norm)
                       .integer(Attr::begin_norm_axis, {1})
                       .input<float>({1, 3, 1}, {0.1f, 0.1f, 0.1f})
                       .input<float>({3, 1}, {5, 6, 7})
                       .input<float>({3, 1}, {1, 2, 3})
                       .output(DType::f32, {1, 3, 1})
                       .run_for<float>();
  EXPECT_EQ(got, (std::vector<float>{1, 2, 3}));
}

TEST(InstanceNorm, TakesChannelsFirstUnlessDeclaredNhwc) {
  const std::vector<float> planes{1, 3, 10, 30}, pixels{1, 10, 3, 30}, scale{1, 2}, bias{0, 100};
  const auto first = NodeMaker(Op::instance_norm)
                         .input({1, 2, 1, 2}, planes)
                         .input({2}, scale)
                         .input({2}, bias)
                         .output(DType::f32, {1, 2, 1, 2})
                         .run_for<float>();
  test::expect_near(first, {-1, 1, 98, 102});
  const auto last = NodeMaker(Op::instance_norm)
                        .input({1, 1, 2, 2}, pixels, {}, Format::nhwc)
                        .input({2}, scale)
                        .input({2}, bias)
                        .output(DType::f32, {1, 1, 2, 2})
                        .run_for<float>();
  test::expect_near(last, {-1, 98, 1, 102});
}

TEST(InstanceNorm, OfAConstantPlaneWithoutEpsilonIsNan) {
  const auto got = NodeMaker(Op::instance_norm)
                       .input<float>({1, 1, 1, 2}, {3, 3})
                       .input<float>({1}, {1})
                       .input<float>({1}, {0})
                       .output(DType::f32, {1, 1, 1, 2})
                       .run_for<float>();
  test::expect_near(got, {kNan, kNan});
}

TEST(RmsNorm, DividesByTheRootOfTheMeanSquare) {
  const auto normalized = [](double axis) {
    return NodeMaker(Op::rms_norm)
        .integer(Attr::begin_norm_axis, {axis})
        .real(Attr::epsilon, 0)
        .input<float>({2, 2}, {3, 4, 0, 5})
        .input<float>(axis == 0 ? Shape{2, 2} : Shape{2},
                      axis == 0 ? std::vector<float>{1, 2, 3, 4} : std::vector<float>{1, 2})
        .output(DType::f32, {2, 2})
        .run_for<float>();
  };
  const float row = std::sqrt(12.5f);
  test::expect_near(normalized(-1), {3 / row, 8 / row, 0, 10 / row});
  test::expect_near(normalized(0), {3 / row, 8 / row, 0, 20 / row});
}

TEST(GroupNorm, TakesNeighbouringChannelsTogether) {
  const std::vector<float> planes{1, 3, 5, 7, 10, 30, 10, 30}, pixels{1, 5, 10, 10, 3, 7, 30, 30};
  const std::vector<float> scale{1, 1, 1, 2}, bias{0, 0, 0, 100};
  const auto normalized = [&](const Shape& shape, const std::vector<float>& x, Format format) {
    return NodeMaker(Op::group_norm)
        .integer(Attr::group, {2})
        .real(Attr::epsilon, 0)
        .input(shape, x, {}, format)
        .input({4}, scale)
        .input({4}, bias)
        .output(DType::f32, shape)
        .run_for<float>();
  };
  const float a = 3 / std::sqrt(5.0f), b = 1 / std::sqrt(5.0f);
  test::expect_near(normalized({1, 4, 2}, planes, Format::nchw), {-a, -b, b, a, -1, 1, 98, 102});
  test::expect_near(normalized({1, 2, 4}, pixels, Format::nhwc), {-a, b, -1, 98, -b, a, 1, 102});
}

// More groups than a thread takes at once, spanning images.
TEST(GroupNorm, IsTheSameInBothLayouts) {
  constexpr int64_t kBatch = 3, kChannels = 192, kPixels = 50, kGroups = 64;
  std::vector<float> planes(size_t(kBatch * kChannels * kPixels)), pixels(planes.size());
  const auto place = [](int64_t n, int64_t c, int64_t p) {
    return size_t((n * kPixels + p) * kChannels + c);
  };
  const auto each = [&](const auto& body) {
    size_t at = 0;
    for (int64_t n = 0; n < kBatch; ++n)
      for (int64_t c = 0; c < kChannels; ++c)
        for (int64_t p = 0; p < kPixels; ++p, ++at) body(at, place(n, c, p));
  };
  each([&](size_t at, size_t pixel) { pixels[pixel] = planes[at] = float(at * 7919 % 1009) / 100; });
  const std::vector<float> scale(kChannels, 1.5f), bias(kChannels, -1);
  const auto normalized = [&](const Shape& shape, const std::vector<float>& x, Format format) {
    return NodeMaker(Op::group_norm)
        .integer(Attr::group, {kGroups})
        .input(shape, x, {}, format)
        .input({kChannels}, scale)
        .input({kChannels}, bias)
        .output(DType::f32, shape)
        .run_for<float>();
  };
  const auto first = normalized({kBatch, kChannels, kPixels}, planes, Format::nchw),
             last = normalized({kBatch, kPixels, kChannels}, pixels, Format::nhwc);
  std::vector<float> moved(last.size());
  each([&](size_t at, size_t pixel) { moved[at] = last[pixel]; });
  test::expect_near(moved, first);
}

TEST(Lrn, SumsSquaresOfNeighbouringChannels) {
  const auto normalized = [](double radius) {
    return NodeMaker(Op::lrn)
        .integer(Attr::radius, {radius})
        .real(Attr::alpha, 0.5)
        .real(Attr::bias, 2)
        .real(Attr::beta, 1)
        .input<float>({1, 1, 1, 3}, {2, 0, 4})
        .output(DType::f32, {1, 1, 1, 3})
        .run_for<float>();
  };
  test::expect_near(normalized(0), {0.5f, 0, 0.4f});
  test::expect_near(normalized(1), {0.5f, 0, 0.4f});
  test::expect_near(normalized(2), {2.0f / 12, 0, 4.0f / 12});
  test::expect_near(normalized(1e15), {2.0f / 12, 0, 4.0f / 12});
}

}  // namespace
}  // namespace nnrt::cpu
