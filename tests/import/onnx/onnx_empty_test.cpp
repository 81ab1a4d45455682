// Tensors with a dimension of 0.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace nnrt::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Floats = std::vector<float>;

Floats run_floats(const OnnxModel& model, const std::vector<Value>& inputs, const import::Shape& want) {
  const auto results = run_on_cpu(model, inputs, {want}).value();
  EXPECT_EQ(results[0].shape, want);
  return elements_of<float>(results[0]);
}

TEST(OnnxEmpty, FlowsThroughElementwiseOperators) {
  const OnnxModel model = OnnxModel()
                              .input("x", {-1, 3})
                              .node("Relu", {"x"}, {"a"})
                              .node("Softmax", {"a"}, {"b"})
                              .node("Add", {"b", "x"});
  EXPECT_EQ(run_floats(model, {value_of({0, 3}, Floats())}, {0, 3}), Floats());
  EXPECT_EQ(run_floats(model, {value_of({1, 3}, Floats{0, 0, 0})}, {1, 3}).size(), 3u);
}

TEST(OnnxEmpty, CacheOfADecoderIsJoined) {
  const OnnxModel model = OnnxModel()
                              .input("past", {1, 2, -1, 2})
                              .input("now", {1, 2, 1, 2})
                              .node("Concat", {"past", "now"})
                              .with("axis", int64_t{2});
  const Floats now{1, 2, 3, 4};
  EXPECT_EQ(run_floats(model, {value_of({1, 2, 0, 2}, Floats()), value_of({1, 2, 1, 2}, now)}, {1, 2, 1, 2}),
            now);
}

TEST(OnnxEmpty, ReductionsOfNothing) {
  const std::pair<const char*, float> kReductions[] = {
      {"ReduceSum", 0},       {"ReduceProd", 1}, {"ReduceMax", -kInfinity}, {"ReduceMin", kInfinity},
      {"ReduceSumSquare", 0}, {"ReduceL1", 0},   {"ReduceL2", 0},           {"ReduceLogSum", -kInfinity},
  };
  for (const auto& [type, nothing] : kReductions) {
    OnnxModel model = OnnxModel().input("x", {2, -1});
    if (std::string(type) == "ReduceSum") {
      model.integers("axes", {1}).node(type, {"x", "axes"}, {"y"});
    } else {
      model.node(type, {"x"}, {"y"}).with("axes", Dimensions{1});
    }
    EXPECT_EQ(run_floats(model, {value_of({2, 0}, Floats())}, {2, 1}), (Floats{nothing, nothing})) << type;
  }
  const OnnxModel mean = OnnxModel().input("x", {-1}).node("ReduceMean", {"x"}).with("axes", Dimensions{0});
  const Floats made = run_floats(mean, {value_of({0}, Floats())}, {1});
  ASSERT_EQ(made.size(), 1u);
  EXPECT_TRUE(std::isnan(made[0]));
}

TEST(OnnxEmpty, MatMulOverEmptyAxisIsZero) {
  const OnnxModel model = OnnxModel()
                              .input("a", {2, -1})
                              .input("b", {-1, 3})
                              .floats("c", {3}, {1, 2, 3})
                              .node("MatMul", {"a", "b"}, {"p"})
                              .node("Add", {"p", "c"});
  EXPECT_EQ(run_floats(model, {value_of({2, 0}, Floats()), value_of({0, 3}, Floats())}, {2, 3}),
            (Floats{1, 2, 3, 1, 2, 3}));
}

TEST(OnnxEmpty, ProductOfNoRows) {
  const OnnxModel model =
      OnnxModel().input("a", {-1, 2}).floats("b", {2, 3}, {1, 2, 3, 4, 5, 6}).node("MatMul", {"a", "b"});
  EXPECT_EQ(run_floats(model, {value_of({0, 2}, Floats())}, {0, 3}), Floats());
}

TEST(OnnxEmpty, NonZeroAndGatherOfEmpty) {
  const OnnxModel model = OnnxModel()
                              .input("x", {3})
                              .input("rows", {3, 2})
                              .node("NonZero", {"x"}, {"found"})
                              .node("Transpose", {"found"}, {"indices"})
                              .node("GatherND", {"rows", "indices"});
  const Floats rows{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(run_floats(model, {value_of({3}, Floats{0, 0, 0}), value_of({3, 2}, rows)}, {0, 2}), Floats());
  EXPECT_EQ(run_floats(model, {value_of({3}, Floats{0, 7, 0}), value_of({3, 2}, rows)}, {1, 2}),
            (Floats{3, 4}));
}

TEST(OnnxEmpty, SliceToNothing) {
  const OnnxModel model = OnnxModel()
                              .input("x", {4, 2})
                              .integers("starts", {3})
                              .integers("ends", {1})
                              .node("Slice", {"x", "starts", "ends"}, {"s"})
                              .node("Concat", {"s", "x"})
                              .with("axis", int64_t{0})
                              .output("y")
                              .output("s");
  const Floats x{1, 2, 3, 4, 5, 6, 7, 8};
  const List<Value> results = results_of(model, {value_of({4, 2}, x)}, {{4, 2}, {0, 2}});
  EXPECT_EQ(elements_of<float>(results[0]), x);
  EXPECT_EQ(results[1].shape, (import::Shape{0, 2}));
}

TEST(OnnxEmpty, ReshapeTakesZeroAsALength) {
  OnnxModel model(14);
  model.input("x", {-1, 4}).integers("shape", {3, 0}).node("Reshape", {"x", "shape"});
  model.with("allowzero", int64_t{1});
  EXPECT_EQ(run_floats(model, {value_of({0, 4}, Floats())}, {3, 0}), Floats());
  EXPECT_FALSE(run_on_cpu(model, {value_of({1, 4}, Floats(4))}, {{3, 0}}).ok());
}

TEST(OnnxEmpty, PadOfEmptyIsConstant) {
  const OnnxModel model = OnnxModel()
                              .input("x", {-1})
                              .integers("pads", {1, 2})
                              .floats("value", {}, {5})
                              .node("Pad", {"x", "pads", "value"});
  EXPECT_EQ(run_floats(model, {value_of({0}, Floats())}, {3}), (Floats{5, 5, 5}));
}

TEST(OnnxEmpty, ConstantsFlowToo) {
  const OnnxModel model = OnnxModel()
                              .input("x", {2, 2})
                              .floats("none", {0, 2}, {})
                              .node("Concat", {"none", "none", "x"})
                              .with("axis", int64_t{0})
                              .node("Expand", {"none", "shape"}, {"z"})
                              .integers("shape", {0, 2})
                              .output("y")
                              .output("z");
  const List<Value> results = results_of(model, {value_of({2, 2}, Floats{1, 2, 3, 4})}, {{2, 2}, {0, 2}});
  EXPECT_EQ(elements_of<float>(results[0]), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(results[1].shape, (import::Shape{0, 2}));
}

TEST(OnnxEmpty, ConvolutionOfNoImages) {
  const OnnxModel model = OnnxModel()
                              .input("x", {-1, 1, 4, 4})
                              .floats("w", {2, 1, 3, 3}, Floats(18, 1))
                              .node("Conv", {"x", "w"}, {"c"})
                              .node("MaxPool", {"c"})
                              .with("kernel_shape", Dimensions{2, 2});
  EXPECT_EQ(run_floats(model, {value_of({0, 1, 4, 4}, Floats())}, {0, 2, 1, 1}), Floats());
}

TEST(OnnxEmpty, RefusesEmptyTensors) {
  const OnnxModel model = OnnxModel().input("x", {2, -1}).node("ArgMax", {"x"}).with("axis", int64_t{1});
  EXPECT_FALSE(run_on_cpu(model, {value_of({2, 0}, Floats())}, {{2, 1}}).ok());
}

}  // namespace
}  // namespace nnrt::test
