// Operators at the limits of their dtypes: lowest integers, integers inexact in float, infinities.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnrt::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int32_t kFloat64 = 11, kUint64 = 13;

template <typename T>
constexpr int32_t kType = std::is_same_v<T, float>     ? OnnxModel::kFloat32
                          : std::is_same_v<T, double>  ? kFloat64
                          : std::is_same_v<T, int8_t>  ? OnnxModel::kInt8
                          : std::is_same_v<T, int32_t> ? OnnxModel::kInt32
                          : std::is_same_v<T, int64_t> ? OnnxModel::kInt64
                                                       : kUint64;

template <typename T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// A model with one output "y" of that rank, and its inputs.
struct Trial {
  OnnxModel model{18};
  std::vector<Value> inputs{};

  template <typename T>
  Trial& input(const std::string& name, const Dimensions& shape, const std::vector<T>& values) {
    model.input(name, shape, kType<T>);
    inputs.push_back(value_of({shape.begin(), shape.end()}, values));
    return *this;
  }
  template <typename T>
  Trial& constant(const std::string& name, const Dimensions& shape, const std::vector<T>& values) {
    model.constant(name, kType<T>, shape, raw(values));
    return *this;
  }
  Trial& node(const std::string& type, const Names& names, const Names& outputs = {"y"}) {
    model.node(type, names, outputs);
    return *this;
  }

  template <typename T>
  std::vector<T> outputs(const std::string& name = "y") {
    model.output(name);
    const import::Network network = model.network();
    shape_ = network.tensors.at(network.outputs.at(0)).shape;
    return elements_of<T>(results_of(network, inputs, {shape_})[0]);
  }
  const Shape& shape() const { return shape_; }

 private:
  Shape shape_;
};

template <typename T>
class OnnxLowestInteger : public testing::Test {};
using Signed = testing::Types<int8_t, int32_t, int64_t>;
TYPED_TEST_SUITE(OnnxLowestInteger, Signed);

TYPED_TEST(OnnxLowestInteger, IsTheSmallest) {
  using T = TypeParam;
  constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  Trial position;
  position.input<T>("x", {1, 5}, {3, kLow, kHigh, 0, kLow}).node("ArgMin", {"x"}).model.with("axis", 1);
  EXPECT_EQ(position.outputs<int64_t>(), (std::vector<int64_t>{1}));
  Trial last;
  last.input<T>("x", {1, 5}, {3, kLow, kHigh, 0, kLow}).node("ArgMin", {"x"});
  last.model.with("axis", 1).with("select_last_index", 1);
  EXPECT_EQ(last.outputs<int64_t>(), (std::vector<int64_t>{4}));
  Trial smallest;
  smallest.input<T>("x", {1, 4}, {kHigh, kLow, 5, 0});
  smallest.constant<int64_t>("k", {1}, {3}).node("TopK", {"x", "k"}, {"y", "i"}).model.with("largest", 0);
  EXPECT_EQ(smallest.outputs<T>(), (std::vector<T>{kLow, 0, 5}));
}

TYPED_TEST(OnnxLowestInteger, HasARemainder) {
  using T = TypeParam;
  constexpr T kLow = std::numeric_limits<T>::min(), kHigh = std::numeric_limits<T>::max();
  const std::vector<T> a{kHigh, T(kHigh - 1), -1, kLow, kLow, 7, kLow, -7};
  const std::vector<T> b{T(kHigh - 1), kHigh, kHigh, -1, kHigh, 0, kLow, T(kLow + 1)};
  const std::vector<T> floored{1, T(kHigh - 1), T(kHigh - 1), 0, T(kHigh - 1), 0, 0, -7};
  const std::vector<T> truncated{1, T(kHigh - 1), -1, 0, -1, 0, 0, -7};
  Trial python;
  python.input("a", {8}, a).input("b", {8}, b).node("Mod", {"a", "b"});
  EXPECT_EQ(python.outputs<T>(), floored);
  Trial c;
  c.input("a", {8}, a).input("b", {8}, b).node("Mod", {"a", "b"}).model.with("fmod", 1);
  EXPECT_EQ(c.outputs<T>(), truncated);
}

TEST(OnnxExtremes, RaiseIntegersExactly) {
  Trial narrow;
  narrow.input<int32_t>("x", {5}, {46339, 1289, -3, 3, 2}).constant<int32_t>("p", {5}, {2, 3, 3, 40, -1});
  EXPECT_EQ(narrow.node("Pow", {"x", "p"}).outputs<int32_t>(),
            (std::vector<int32_t>{2147302921, 2141700569, -27, 689956897, 0}));
  Trial wide;
  wide.input<int64_t>("x", {3}, {100003, -3, 3037000499}).constant<float>("p", {3}, {2, 3, 2});
  EXPECT_EQ(wide.node("Pow", {"x", "p"}).outputs<int64_t>(),
            (std::vector<int64_t>{10000600009, -27, int64_t(double(3037000499) * double(3037000499))}));
  Trial mixed;
  mixed.input<float>("x", {2}, {-1, 2}).input<int64_t>("p", {2}, {16777217, 3});
  EXPECT_EQ(mixed.node("Pow", {"x", "p"}).outputs<float>(), (std::vector<float>{-1, 8}));
}

TEST(OnnxExtremes, RootOfMinusInfinityMatchesPow) {
  Trial run;
  run.input<float>("x", {3}, {-kInfinity, 4, 0}).constant<float>("p", {}, {0.5f}).node("Pow", {"x", "p"});
  EXPECT_EQ(run.outputs<float>(), (std::vector<float>{kInfinity, 2, 0}));
}

TEST(OnnxExtremes, AddExponentialsOfInfinities) {
  Trial run;
  run.input<float>("x", {4, 2}, {-kInfinity, -kInfinity, kInfinity, 1, -kInfinity, 1, 3e38f, -3e38f});
  run.constant<int64_t>("a", {1}, {1}).node("ReduceLogSumExp", {"x", "a"}).model.with("keepdims", 0);
  EXPECT_EQ(run.outputs<float>(), (std::vector<float>{-kInfinity, kInfinity, 1, 3e38f}));
}

TEST(OnnxExtremes, ReduceIntegersAsOnnxSays) {
  const std::pair<const char*, std::vector<int64_t>> kCases[] = {
      {"ReduceProd", {60, -120}}, {"ReduceSum", {12, 5}},        {"ReduceMean", {4, 1}},
      {"ReduceMax", {5, 8}},      {"ReduceMin", {3, -5}},        {"ReduceL1", {12, 15}},
      {"ReduceL2", {7, 9}},       {"ReduceSumSquare", {50, 93}}, {"ReduceLogSum", {2, 1}},
      {"ReduceLogSumExp", {5, 8}}};
  for (const auto& [type, expected] : kCases) {
    Trial run;
    run.input<int64_t>("x", {2, 3}, {3, 4, 5, 8, -5, type == std::string("ReduceProd") ? 3 : 2});
    run.constant<int64_t>("a", {1}, {1}).node(type, {"x", "a"}).model.with("keepdims", 0);
    EXPECT_EQ(run.outputs<int64_t>(), expected) << type;
  }
  Trial norm;  // sqrt of 2^48 - 2^25 + 1 as a float is 2^24
  norm.input<int64_t>("x", {1, 1}, {16777215}).constant<int64_t>("a", {1}, {1});
  EXPECT_EQ(norm.node("ReduceL2", {"x", "a"}).outputs<int64_t>(), (std::vector<int64_t>{16777215}));
}

TEST(OnnxExtremes, MultiplyMatricesOfIntegers) {
  Trial wide;
  wide.input<int64_t>("x", {2, 2}, {int64_t{1} << 53, 1, 3, 4}).constant<int64_t>("w", {2, 1}, {1, 1});
  EXPECT_EQ(wide.node("MatMul", {"x", "w"}).outputs<int64_t>(),
            (std::vector<int64_t>{(int64_t{1} << 53) + 1, 7}));
  Trial batch;  // a batch of both, and a result that wraps
  batch.input<int32_t>("x", {2, 1, 2}, {1 << 30, 2, 3, 4}).input<int32_t>("w", {2, 2, 1}, {4, 5, 6, 7});
  EXPECT_EQ(batch.node("MatMul", {"x", "w"}).outputs<int32_t>(), (std::vector<int32_t>{10, 46}));
  Trial left;
  left.input<int32_t>("x", {2}, {16777217, 1}).input<int32_t>("w", {2, 3}, {1, 2, 0, 3, 4, 5});
  EXPECT_EQ(left.node("MatMul", {"x", "w"}).outputs<int32_t>(),
            (std::vector<int32_t>{16777220, 33554438, 5}));
  Trial natural;
  natural.input<uint64_t>("x", {1, 2}, {~uint64_t{0}, 3}).input<uint64_t>("w", {2}, {1, 2});
  EXPECT_EQ(natural.node("MatMul", {"x", "w"}).outputs<uint64_t>(), (std::vector<uint64_t>{5}));
  Trial right;
  right.input<double>("x", {1, 2}, {1, 1e-17}).input<double>("w", {2}, {1e-17, 1});
  EXPECT_EQ(right.node("MatMul", {"x", "w"}).outputs<double>(), (std::vector<double>{2e-17}));
}

TEST(OnnxExtremes, PlaceWideValues) {
  Trial integers;
  integers.input<int64_t>("i", {2}, {0, 1}).constant<int64_t>("d", {1}, {2});
  integers.constant<int64_t>("v", {2}, {-(int64_t{1} << 40), int64_t{1} << 41})
      .node("OneHot", {"i", "d", "v"});
  EXPECT_EQ(integers.outputs<int64_t>(), (std::vector<int64_t>{int64_t{1} << 41, -(int64_t{1} << 40),
                                                               -(int64_t{1} << 40), int64_t{1} << 41}));
  Trial doubles;  // a scalar index that is not an INT64
  doubles.input<uint64_t>("i", {}, {~uint64_t{0}}).constant<int64_t>("d", {1}, {2});
  doubles.constant<double>("v", {2}, {0.25, 0.75}).node("OneHot", {"i", "d", "v"});
  EXPECT_EQ(doubles.outputs<double>(), (std::vector<double>{0.25, 0.25}));
  EXPECT_EQ(doubles.shape(), (Shape{2}));
}

TEST(OnnxExtremes, PadWithWideValues) {
  Trial run;
  run.input<int64_t>("x", {1}, {5}).constant<int64_t>("p", {2}, {1, 1});
  run.constant<int64_t>("v", {}, {(int64_t{1} << 62) + 1}).node("Pad", {"x", "p", "v"});
  EXPECT_EQ(run.outputs<int64_t>(),
            (std::vector<int64_t>{(int64_t{1} << 62) + 1, 5, (int64_t{1} << 62) + 1}));
}

TEST(OnnxExtremes, CountBeyondDoubles) {
  constexpr int64_t kStart = (int64_t{1} << 53) + 1;
  Trial run;
  run.constant<int64_t>("s", {}, {kStart}).constant<int64_t>("l", {}, {kStart - 5});
  run.constant<int64_t>("d", {}, {-2}).node("Range", {"s", "l", "d"}, {"r"});
  run.input<int64_t>("x", {3}, {0, 0, 0}).node("Add", {"r", "x"});
  EXPECT_EQ(run.outputs<int64_t>(), (std::vector<int64_t>{kStart, kStart - 2, kStart - 4}));
}

TEST(OnnxExtremes, MarkTheLargestOfAVector) {
  Trial run;
  run.input<float>("x", {3}, {1, 3, 3}).node("Hardmax", {"x"});
  EXPECT_EQ(run.outputs<float>(), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(run.shape(), (Shape{3}));
}

TEST(OnnxExtremes, InvertHyperbolicFunctionsOfLargeNumbers) {
  Trial cosine;
  cosine.input<float>("x", {5}, {1, 1.000001f, 2, 3e38f, kInfinity}).node("Acosh", {"x"});
  const std::vector<float> y = cosine.outputs<float>();
  ASSERT_EQ(y.size(), 5u);
  for (size_t i = 0; i < 4; ++i) {
    const float x[] = {1, 1.000001f, 2, 3e38f};
    EXPECT_NEAR(y[i], std::acosh(double(x[i])), 1e-5 * (y[i] + 1e-3)) << i;
  }
  EXPECT_EQ(y[4], kInfinity);
}

// Pools whose maxima are located again.
struct Pool {
  Trial run;

  Pool(const Dimensions& shape, const std::vector<float>& values, const Dimensions& kernel) {
    run.input<float>("x", shape, values)
        .node("MaxPool", {"x"}, {"m", "y"})
        .model.with("kernel_shape", kernel);
  }
};

TEST(OnnxPoolIndices, CountTheWholeTensorRowByRow) {
  Pool line({1, 2, 5}, {1, 5, 2, 5, 3, 9, 8, 7, 7, 9}, {3});
  line.run.model.with("strides", Dimensions{2}).with("pads", Dimensions{1, 1});
  EXPECT_EQ(line.run.outputs<int64_t>(), (std::vector<int64_t>{1, 1, 3, 5, 6, 9}));
  Pool plane({1, 1, 3, 4}, {1, 2, 3, 4, 8, 7, 6, 5, 9, 1, 1, 2}, {2, 2});
  EXPECT_EQ(plane.run.outputs<int64_t>(), (std::vector<int64_t>{4, 5, 6, 8, 5, 6}));
  Pool dilated({1, 1, 3, 4}, {1, 2, 3, 4, 8, 7, 6, 5, 9, 1, 1, 2}, {2, 2});
  dilated.run.model.with("dilations", Dimensions{2, 3});
  EXPECT_EQ(dilated.run.outputs<int64_t>(), (std::vector<int64_t>{8}));
  Pool pool({1, 1, 2, 2, 2}, {-1, -2, -3, -4, -5, -6, 0, -8}, {2, 2, 2});
  EXPECT_EQ(pool.run.outputs<int64_t>(), (std::vector<int64_t>{6}));
}

TEST(OnnxPoolIndices, SupportColumnMajorOrder) {
  Pool plane({1, 2, 2, 3}, {1, 2, 3, 9, 8, 7, 3, 2, 1, 4, 5, 6}, {2, 2});
  plane.run.model.with("storage_order", 1);
  EXPECT_EQ(plane.run.outputs<int64_t>(), (std::vector<int64_t>{1, 3, 6 + 3, 6 + 5}));
  Pool pool({1, 1, 2, 3, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, {2, 3, 2});
  pool.run.model.with("storage_order", 1);
  EXPECT_EQ(pool.run.outputs<int64_t>(), (std::vector<int64_t>{1 + 2 * 2 + 1 * 6}));
}

TEST(OnnxPoolIndices, LeadBack) {
  Pool pool({1, 1, 4, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, {2, 2});
  pool.run.model.with("strides", Dimensions{2, 2});
  pool.run.node("MaxUnpool", {"m", "y"}, {"z"}).model.with("kernel_shape", Dimensions{2, 2});
  pool.run.model.with("strides", Dimensions{2, 2});
  EXPECT_EQ(pool.run.outputs<float>("z"),
            (std::vector<float>{0, 0, 0, 0, 0, 6, 0, 8, 0, 0, 0, 0, 0, 14, 0, 16}));
}

TEST(OnnxPoolIndices, RejectDynamicBatch) {
  const auto network = OnnxModel(18)
                           .input("x", {-1, 1, 4, 4})
                           .node("MaxPool", {"x"}, {"m", "y"})
                           .with("kernel_shape", Dimensions{2, 2})
                           .read();
  EXPECT_TRUE(
      message(network).starts_with("Indices of maxima in a tensor of shape [-1, 1, 4, 4] are not supported."))
      << message(network);
}

// Scatters each element over the kernel, in double.
std::vector<float> transposed(const std::vector<float>& x, int64_t side, const std::vector<float>& w,
                              int64_t kernel, int64_t stride, int64_t dilation, int64_t pad, int64_t extra) {
  const int64_t full = (side - 1) * stride + (kernel - 1) * dilation + 1, out = full - 2 * pad + extra;
  std::vector<double> y(static_cast<size_t>(out * out * out), 0.0);
  const auto at = [](int64_t a, int64_t b, int64_t c, int64_t n) {
    return static_cast<size_t>((a * n + b) * n + c);
  };
  for (int64_t i = 0; i < side * side * side; ++i) {
    for (int64_t k = 0; k < kernel * kernel * kernel; ++k) {
      const int64_t z = i / (side * side) * stride + k / (kernel * kernel) * dilation - pad;
      const int64_t r = i / side % side * stride + k / kernel % kernel * dilation - pad;
      const int64_t c = i % side * stride + k % kernel * dilation - pad;
      if (std::min({z, r, c}) < 0 || std::max({z, r, c}) >= out) continue;
      y[at(z, r, c, out)] += double(x[static_cast<size_t>(i)]) * double(w[static_cast<size_t>(k)]);
    }
  }
  return {y.begin(), y.end()};
}

std::vector<float> some(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 37 % 23) / 8 - 1;
  return values;
}

struct Transposed {
  int64_t side, kernel, stride, dilation, pad, extra;
};

TEST(OnnxConv3d, IsConvolvedTransposed) {
  for (const auto& [side, kernel, stride, dilation, pad, extra] :
       {Transposed{2, 2, 2, 1, 0, 0}, Transposed{3, 3, 2, 1, 1, 1}, Transposed{3, 2, 1, 2, 1, 0},
        Transposed{2, 1, 3, 1, 0, 2}, Transposed{3, 3, 1, 1, 2, 0}, Transposed{3, 2, 3, 1, 1, 0}}) {
    const std::vector<float> x = some(static_cast<size_t>(side * side * side)),
                             w = some(static_cast<size_t>(kernel * kernel * kernel));
    Trial run;
    run.input("x", {1, 1, side, side, side}, x).constant("w", {1, 1, kernel, kernel, kernel}, w);
    run.node("ConvTranspose", {"x", "w"}).model.with("strides", Dimensions(3, stride));
    run.model.with("dilations", Dimensions(3, dilation)).with("pads", Dimensions(6, pad));
    run.model.with("output_padding", Dimensions(3, extra));
    const std::vector<float> want = transposed(x, side, w, kernel, stride, dilation, pad, extra);
    const std::vector<float> got = run.outputs<float>();
    ASSERT_EQ(got.size(), want.size()) << kernel << stride << pad;
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-4) << i;
  }
}

// Both channels of a group use both kernels of the group; the weights are run inputs.
TEST(OnnxConv3d, HasGroupsOfChannels) {
  Trial run;
  run.input<float>("x", {1, 2, 1, 1, 1}, {2, 3}).input<float>("w", {2, 2, 1, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  run.constant<float>("b", {4}, {0, 100, 200, 300})
      .node("ConvTranspose", {"x", "w", "b"})
      .model.with("group", 2);
  EXPECT_EQ(run.outputs<float>(), (std::vector<float>{2, 4, 106, 108, 215, 218, 321, 324}));
}

// A block of the result per element, and a bias per channel.
TEST(OnnxConv3d, IsMadeOfBlocks) {
  Trial run;
  run.input<float>("x", {2, 1, 1, 1, 2}, {1, 2, 3, 4});
  run.constant<float>("w", {1, 2, 1, 1, 2}, {1, 10, 100, 1000}).constant<float>("b", {2}, {0, 5});
  run.node("ConvTranspose", {"x", "w", "b"}).model.with("strides", Dimensions{1, 1, 2});
  EXPECT_EQ(run.outputs<float>(),
            (std::vector<float>{1, 10, 2, 20, 105, 1005, 205, 2005, 3, 30, 4, 40, 305, 3005, 405, 4005}));
}

TEST(OnnxConv3d, IsPlacedAsTheOutputAsks) {
  Trial run;
  run.input<float>("x", {1, 1, 1, 1, 2}, {1, 2}).constant<float>("w", {1, 1, 1, 1, 3}, {1, 10, 100});
  run.node("ConvTranspose", {"x", "w"}).model.with("strides", Dimensions{1, 1, 2});
  run.model.with("auto_pad", std::string("SAME_UPPER"));
  EXPECT_EQ(run.outputs<float>(), (std::vector<float>{1, 10, 102, 20}));
}

TEST(OnnxConv3d, IsNormalizedThoughItsSizesAreOpen) {
  const import::Network network = OnnxModel(18)
                                      .input("x", {-1, 2, -1, -1, -1})
                                      .floats("s", {2}, {1, 1})
                                      .floats("b", {2}, {0, 0})
                                      .node("InstanceNormalization", {"x", "s", "b"})
                                      .network();
  EXPECT_EQ(operations(network), (std::vector{Op::instance_norm}));
  const Value x = value_of<float>({1, 2, 1, 1, 2}, {1, 3, 10, 30});
  const std::vector<float> y = elements_of<float>(results_of(network, {x}, {x.shape})[0]);
  EXPECT_NEAR(y[0], -1, 1e-4);
  EXPECT_NEAR(y[3], 1, 1e-4);
}

}  // namespace
}  // namespace nnrt::test
