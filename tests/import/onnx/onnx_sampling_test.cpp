// Operators that become extension operators, with static and dynamic shapes.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

namespace nnrt::test {
namespace {

struct Case {
  const char* name;
  Dimensions shape;
  Op operation;
  import::Shape result;
  void (*add)(OnnxModel&);  // from "x" to "y"
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

template <size_t count>
std::vector<float> some_floats() {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 31 % 17) / 8 - 1;
  return values;
}

const Case kCases[] = {
    {"PadEdge",
     {2, 3, 4},
     Op::pad_edge,
     {2, 5, 7},
     [](OnnxModel& model) {
       model.integers("p", {0, 1, 2, 0, 1, 1}).node("Pad", {"x", "p"});
       model.with("mode", std::string("edge"));
     }},
    {"PadWrap",
     {2, 3, 4},
     Op::pad_wrap,
     {2, 5, 7},
     [](OnnxModel& model) {
       model.integers("p", {0, 1, 2, 0, 1, 1}).node("Pad", {"x", "p"});
       model.with("mode", std::string("wrap"));
     }},
    {"Pool3d",
     {2, 2, 4, 5, 6},
     Op::avg_pool_nd,
     {2, 2, 3, 4, 3},
     [](OnnxModel& model) {
       model.node("AveragePool", {"x"}).with("kernel_shape", Dimensions{2, 2, 2});
       model.with("strides", Dimensions{1, 1, 2});
     }},
    {"DilatedPool",
     {1, 2, 7, 6},
     Op::max_pool_nd,
     {1, 2, 3, 4},
     [](OnnxModel& model) {
       model.node("MaxPool", {"x"}).with("kernel_shape", Dimensions{3, 3});
       model.with("dilations", Dimensions{2, 2}).with("pads", Dimensions{0, 1, 0, 1});
     }},
    {"PoolThatCountsPaddingAndRoundsUp",
     {1, 2, 6, 6},
     Op::avg_pool_nd,
     {1, 2, 4, 4},
     [](OnnxModel& model) {
       model.node("AveragePool", {"x"}).with("kernel_shape", Dimensions{3, 3});
       model.with("strides", Dimensions{2, 2}).with("pads", Dimensions{1, 1, 1, 1});
       model.with("ceil_mode", 1).with("count_include_pad", 1);
     }},
    {"Conv",
     {2, 3, 4, 5, 6},
     Op::conv3d,
     {2, 2, 3, 5, 6},
     [](OnnxModel& model) {
       model.floats("w", {2, 3, 2, 1, 1}, some_floats<12>()).node("Conv", {"x", "w"}, {"c"});
       model.node("Relu", {"c"});
     }},
    {"LinearByScales",
     {1, 2, 3, 4},
     Op::resize,
     {1, 2, 4, 6},
     [](OnnxModel& model) {
       model.floats("s", {4}, {1, 1, 1.5f, 1.5f}).node("Resize", {"x", "", "s"});
       model.with("mode", std::string("linear")).with("exclude_outside", 1);
     }},
    {"CubicByScales",
     {1, 2, 3, 4},
     Op::resize,
     {1, 2, 6, 6},
     [](OnnxModel& model) {
       model.floats("s", {4}, {1, 1, 2, 1.5f}).node("Resize", {"x", "", "s"});
       model.with("mode", std::string("cubic"));
     }},
    {"AntialiasedToSizes",
     {1, 2, 8, 9},
     Op::resize,
     {1, 2, 3, 4},
     [](OnnxModel& model) {
       model.integers("s", {1, 2, 3, 4}).node("Resize", {"x", "", "", "s"});
       model.with("mode", std::string("linear")).with("antialias", 1);
     }},
    {"CropAndResize",
     {1, 2, 4, 4},
     Op::resize,
     {1, 2, 3, 3},
     [](OnnxModel& model) {
       model.integers("s", {1, 2, 3, 3}).floats("r", {8}, {0, 0, 0.25f, 0.5f, 1, 1, 0.75f, 1.5f});
       model.node("Resize", {"x", "r", "", "s"}).with("mode", std::string("linear"));
       model.with("coordinate_transformation_mode", std::string("tf_crop_and_resize"));
       model.with("extrapolation_value", 10.0);
     }},
    {"Grid",
     {1, 2, 3, 4},
     Op::grid_sample,
     {1, 2, 2, 3},
     [](OnnxModel& model) {
       model.floats("g", {1, 2, 3, 2}, some_floats<12>()).node("GridSample", {"x", "g"});
       model.with("padding_mode", std::string("reflection"));
     }},
    {"Columns",
     {1, 12, 12},
     Op::col2im,
     {1, 3, 4, 5},
     [](OnnxModel& model) {
       model.integers("s", {4, 5}).integers("b", {2, 2}).node("Col2Im", {"x", "s", "b"});
     }},
    {"Regions",
     {2, 3, 6, 6},
     Op::roi_align,
     {2, 3, 2, 4},
     [](OnnxModel& model) {
       model.floats("r", {2, 4}, {0, 1, 4, 5, 2, 2, 5, 6}).integers("i", {1, 0});
       model.node("RoiAlign", {"x", "r", "i"}).with("output_height", 2).with("output_width", 4);
     }},
};

class OnnxSampling : public testing::TestWithParam<Case> {};

// All dimensions but the channels are dynamic if `is_open`.
Result<import::Network> network_of(const Case& one, bool is_open) {
  Dimensions shape = one.shape;
  for (size_t d = 0; is_open && d < shape.size(); ++d) shape[d] = d == 1 ? shape[d] : -1;
  OnnxModel model = OnnxModel(18).input("x", shape);
  one.add(model);
  return model.read();
}

Result<std::vector<Value>> run(const Case& one, const import::Network& network) {
  const import::Shape shape(one.shape.begin(), one.shape.end());
  std::vector<float> values(std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 101) / 50 - 1;
  const Value input = value_of(shape, values);
  return run_on_cpu(network, std::span(&input, 1), std::span(&one.result, 1));
}

TEST_P(OnnxSampling, BecomesTheOperator) {
  const auto network = network_of(GetParam(), false).value();
  const std::vector<Op> types = operations(network);
  EXPECT_EQ(std::ranges::count(types, GetParam().operation), 1);
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, GetParam().result);
}

TEST_P(OnnxSampling, StaysOpenAndComputesTheSame) {
  const auto known = network_of(GetParam(), false).value(), open = network_of(GetParam(), true).value();
  const auto want = run(GetParam(), known).value(), got = run(GetParam(), open).value();
  EXPECT_EQ(got[0].shape, GetParam().result);
  EXPECT_EQ(got[0].bytes, want[0].bytes);
}

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, OnnxSampling, testing::ValuesIn(kCases), name_of);

TEST(OnnxResize, KeepsTheAspectRatioWithinSizes) {
  const auto shape_by = [](const char* policy) {
    OnnxModel model = OnnxModel(18).input("x", {1, 2, 4, 8}).integers("s", {8, 10});
    model.node("Resize", {"x", "", "", "s"}).with("mode", std::string("linear"));
    model.with("axes", Dimensions{2, 3}).with("keep_aspect_ratio_policy", std::string(policy));
    const auto network = model.read();
    EXPECT_TRUE(network.ok()) << message(network);
    return network.ok() ? network.value().tensors[network.value().outputs[0]].shape : import::Shape{};
  };
  EXPECT_EQ(shape_by("not_larger"), (import::Shape{1, 2, 5, 10}));
  EXPECT_EQ(shape_by("not_smaller"), (import::Shape{1, 2, 8, 16}));
  EXPECT_EQ(shape_by("stretch"), (import::Shape{1, 2, 8, 10}));
}

TEST(OnnxResize, RejectsScalesToZeroLength) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float scale : {0.0f, -1.0f, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    for (const int64_t length : {0, 4}) {
      OnnxModel model = OnnxModel(18).input("x", {1, 2, length, 8}).floats("s", {4}, {1, 1, scale, 1});
      EXPECT_FALSE(model.node("Resize", {"x", "", "s"}).read().ok()) << scale;
    }
  }
}

TEST(OnnxResize, AcceptsDynamicSizes) {
  OnnxModel model = OnnxModel(18).input("x", {1, 2, 4, 8}).input("s", {4}, OnnxModel::kInt64);
  model.node("Resize", {"x", "", "", "s"});
  const import::Network network = model.network();
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, import::Shape(4, -1));
}

}  // namespace
}  // namespace nnrt::test
