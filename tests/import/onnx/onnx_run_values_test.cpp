// Operator parameters that are dynamic.
#include "tests/import/onnx/onnx_runs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace nnrt::test {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

Value list(const Integers& elements) { return value_of({static_cast<int32_t>(elements.size())}, elements); }

Floats numbered(size_t count) {
  Floats numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

void expect_run(const OnnxModel& model, const std::vector<Value>& inputs, const import::Shape& shape,
                const Floats& want) {
  const List<Value> results = results_of(model, inputs, {shape});
  EXPECT_EQ(results[0].shape, shape);
  EXPECT_EQ(elements_of<float>(results[0]), want);
}

TEST(OnnxRunValues, BeginEndAndStepOfASlice) {
  const OnnxModel model = OnnxModel()
                              .input("x", {2, 5})
                              .input("starts", {1}, OnnxModel::kInt64)
                              .input("ends", {1}, OnnxModel::kInt64)
                              .integers("axes", {-1})
                              .input("steps", {1}, OnnxModel::kInt64)
                              .node("Slice", {"x", "starts", "ends", "axes", "steps"});
  const Value x = value_of({2, 5}, numbered(10));
  expect_run(model, {x, list({1}), list({4}), list({1})}, {2, 3}, {1, 2, 3, 6, 7, 8});
  expect_run(model, {x, list({-1}), list({INT64_MIN}), list({-2})}, {2, 3}, {4, 2, 0, 9, 7, 5});
  expect_run(model, {x, list({2}), list({2}), list({1})}, {2, 0}, {});
  expect_run(model, {x, list({-7}), list({INT64_MIN}), list({-1})}, {2, 1}, {0, 5});
  expect_run(model, {x, list({INT64_MIN}), list({2}), list({1})}, {2, 2}, {0, 1, 5, 6});
}

// With a negative step, what begins before the first element begins with it.
TEST(OnnxRunValues, SliceBackwardFromBeforeTheFirst) {
  for (const int64_t length : {4, -1}) {
    for (const int64_t begin : {INT64_MIN, int64_t{-2147483648}, int64_t{-5}}) {
      const OnnxModel model = OnnxModel()
                                  .input("x", {length})
                                  .integers("starts", {begin})
                                  .integers("ends", {INT64_MIN})
                                  .integers("axes", {0})
                                  .integers("steps", {-1})
                                  .node("Slice", {"x", "starts", "ends", "axes", "steps"});
      expect_run(model, {value_of({4}, numbered(4))}, {1}, {0});
    }
  }
}

// Their scales tell them.
TEST(OnnxRunValues, LengthsOfNorms) {
  const Floats x{0, 2, 1, 5}, want{-1, 1, -1, 1};
  OnnxModel channels = OnnxModel().input("x", {1, -1, -1}).floats("s", {2}, {1, 1}).floats("b", {2}, {0, 0});
  channels.node("InstanceNormalization", {"x", "s", "b"}).with("epsilon", 0.0);
  expect_run(channels, {value_of({1, 2, 2}, x)}, {1, 2, 2}, want);
  OnnxModel rows = OnnxModel(17).input("x", {-1, -1}).floats("s", {2}, {1, 1});
  rows.node("LayerNormalization", {"x", "s"}).with("epsilon", 0.0);
  expect_run(rows, {value_of({2, 2}, x)}, {2, 2}, want);
}

TEST(OnnxRunValues, AxesOfASlice) {
  const OnnxModel model = OnnxModel()
                              .input("x", {2, 3, 4})
                              .integers("starts", {1, -1})
                              .integers("ends", {INT64_MAX, INT64_MIN})
                              .input("axes", {2}, OnnxModel::kInt64)
                              .integers("steps", {1, -2})
                              .node("Slice", {"x", "starts", "ends", "axes", "steps"});
  const Value x = value_of({2, 3, 4}, numbered(24));
  expect_run(model, {x, list({0, 2})}, {1, 3, 2}, {15, 13, 19, 17, 23, 21});
  expect_run(model, {x, list({-1, -3})}, {1, 3, 3}, {13, 14, 15, 17, 18, 19, 21, 22, 23});
}

TEST(OnnxRunValues, AxesOfAnUnsqueeze) {
  const OnnxModel model =
      OnnxModel().input("x", {2, -1}).input("axes", {2}, OnnxModel::kInt64).node("Unsqueeze", {"x", "axes"});
  const Value x = value_of({2, 3}, numbered(6));
  expect_run(model, {x, list({0, 1})}, {1, 1, 2, 3}, numbered(6));
  expect_run(model, {x, list({-1, 1})}, {2, 1, 3, 1}, numbered(6));
  expect_run(model, {x, list({3, 2})}, {2, 3, 1, 1}, numbered(6));
  const OnnxModel scalar =
      OnnxModel().input("x", {}).input("axes", {2}, OnnxModel::kInt64).node("Unsqueeze", {"x", "axes"});
  expect_run(scalar, {value_of({}, Floats{7}), list({0, 1})}, {1, 1}, {7});
}

TEST(OnnxRunValues, SizesOfASplit) {
  const auto model = [](const std::string& output) {
    OnnxModel made(18);
    made.input("x", {2, 5, 1})
        .input("sizes", {3}, OnnxModel::kInt64)
        .node("Split", {"x", "sizes"}, {"a", "b", "c"});
    return made.with("axis", int64_t{-2}).output(output);
  };
  const std::vector<Value> inputs{value_of({2, 5, 1}, numbered(10)), list({1, 0, 4})};
  expect_run(model("a"), inputs, {2, 1, 1}, {0, 5});
  expect_run(model("b"), inputs, {2, 0, 1}, {});
  expect_run(model("c"), inputs, {2, 4, 1}, {1, 2, 3, 4, 6, 7, 8, 9});
  for (const Integers& sizes : {Integers{1, 1, 4}, Integers{1, 1, 1}})
    EXPECT_FALSE(run_on_cpu(model("c"), {inputs[0], list(sizes)}, {{2, 4, 1}}).ok());
}

TEST(OnnxRunValues, APadCropsNoMoreThanThereIs) {
  OnnxModel model;
  model.input("x", {2, 3}).integers("pads", {0, -4, 0, 5});
  EXPECT_EQ(message(model.node("Pad", {"x", "pads"}).read()),
            "The pads (-4 and 5) crop more than dimension 1 (3) has. While converting Pad (node 0).");
}

TEST(OnnxRunValues, AmountsOfAPad) {
  const OnnxModel model = OnnxModel(18)
                              .input("x", {1, 2})
                              .input("pads", {2}, OnnxModel::kInt64)
                              .floats("value", {}, {9})
                              .integers("axes", {1})
                              .node("Pad", {"x", "pads", "value", "axes"});
  expect_run(model, {value_of({1, 2}, Floats{1, 2}), list({1, 0})}, {1, 3}, {9, 1, 2});
  expect_run(model, {value_of({1, 2}, Floats{1, 2}), list({-1, 0})}, {1, 1}, {2});
  expect_run(model, {value_of({1, 2}, Floats{1, 2}), list({2, -1})}, {1, 3}, {9, 9, 1});
}

TEST(OnnxRunValues, BoundsOfARange) {
  const auto model = [](int32_t type) {
    OnnxModel made;
    for (const char* name : {"start", "limit", "delta"}) made.input(name, {}, type);
    return made.node("Range", {"start", "limit", "delta"}, {"r"})
        .node("Cast", {"r"})
        .with("to", int64_t{OnnxModel::kFloat32});
  };
  const auto integers = [](int64_t start, int64_t limit, int64_t delta) {
    return std::vector<Value>{value_of({}, Integers{start}), value_of({}, Integers{limit}),
                              value_of({}, Integers{delta})};
  };
  const auto floats = [](float start, float limit, float delta) {
    return std::vector<Value>{value_of({}, Floats{start}), value_of({}, Floats{limit}),
                              value_of({}, Floats{delta})};
  };
  expect_run(model(OnnxModel::kInt64), integers(2, 9, 3), {3}, {2, 5, 8});
  expect_run(model(OnnxModel::kInt64), integers(2, -3, -2), {3}, {2, 0, -2});
  expect_run(model(OnnxModel::kInt64), integers(2, 2, 1), {0}, {});
  expect_run(model(OnnxModel::kFloat32), floats(1, 0, -0.25f), {4}, {1, 0.75f, 0.5f, 0.25f});
  // The quotient is 18 in FLOAT32, but slightly more in FLOAT64.
  Floats elements;
  for (int i = 0; i < 19; ++i) elements.push_back(static_cast<float>(double{0.8f} + i * double{0.3f}));
  expect_run(model(OnnxModel::kFloat32), floats(0.8f, 6.2000003f, 0.3f), {19}, elements);
  EXPECT_FALSE(run_on_cpu(model(OnnxModel::kInt64), integers(0, 1, 0), {{1}}).ok());
  EXPECT_FALSE(run_on_cpu(model(OnnxModel::kFloat32), floats(0, INFINITY, 1), {{1}}).ok());
}

TEST(OnnxRunValues, ConditionOfACompress) {
  const auto model = [](int64_t length) {
    return OnnxModel().input("x", {2, 3}).input("c", {length}, OnnxModel::kBool).node("Compress", {"x", "c"});
  };
  const Value x = value_of({2, 3}, numbered(6));
  const auto chosen = [](const std::vector<uint8_t>& bits) {
    return value_of({static_cast<int32_t>(bits.size())}, bits);
  };
  const OnnxModel columns = model(2).with("axis", int64_t{-1});
  expect_run(columns, {x, chosen({0, 1})}, {2, 1}, {1, 4});
  expect_run(columns, {x, chosen({0, 0})}, {2, 0}, {});
  expect_run(model(-1), {x, chosen({0, 1, 0, 0, 1})}, {2}, {1, 4});
  // What is beyond the dimension selects nothing.
  expect_run(model(4).with("axis", int64_t{0}), {x, chosen({0, 1, 1, 1})}, {1, 3}, {3, 4, 5});
}

TEST(OnnxRunValues, LimitsOfASuppression) {
  OnnxModel model;
  model.input("boxes", {1, 3, 4}).input("scores", {1, 1, 3}).input("max", {}, OnnxModel::kInt64);
  model.input("iou", {})
      .input("score", {})
      .node("NonMaxSuppression", {"boxes", "scores", "max", "iou", "score"}, {"n"});
  model.node("Cast", {"n"}).with("to", int64_t{OnnxModel::kFloat32});
  const Value boxes = value_of({1, 3, 4}, Floats{0, 0, 1, 1, 0, 0, 1, 0.9f, 0, 5, 1, 6});
  const Value scores = value_of({1, 1, 3}, Floats{0.5f, 0.9f, 0.3f});
  const auto run = [&](int64_t max, float overlap, float score, const Floats& want) {
    const import::Shape rows{static_cast<int32_t>(want.size() / 3), 3};
    expect_run(model,
               {boxes, scores, value_of({}, Integers{max}), value_of({}, Floats{overlap}),
                value_of({}, Floats{score})},
               rows, want);
  };
  run(9, 0.5f, 0, {0, 0, 1, 0, 0, 2});
  run(9, 0.95f, 0.4f, {0, 0, 1, 0, 0, 0});
  run(1, 0.5f, 0, {0, 0, 1});
  run(0, 0.5f, 0, {});
}

TEST(OnnxRunValues, DepthOfAOneHot) {
  const OnnxModel model = OnnxModel()
                              .input("x", {2}, OnnxModel::kInt64)
                              .input("depth", {}, OnnxModel::kInt64)
                              .floats("values", {2}, {0, 1})
                              .node("OneHot", {"x", "depth", "values"});
  expect_run(model, {list({2, -1}), value_of({}, Integers{3})}, {2, 3}, {0, 0, 1, 0, 0, 1});
}

TEST(OnnxRunValues, AxesOfAReduction) {
  for (const int64_t keep : {1, 0}) {
    const OnnxModel model = OnnxModel()
                                .input("x", {2, 3})
                                .input("axes", {1}, OnnxModel::kInt64)
                                .node("ReduceSum", {"x", "axes"})
                                .with("keepdims", keep);
    const Value x = value_of({2, 3}, numbered(6));
    const bool kept = keep == 1;
    expect_run(model, {x, list({0})}, kept ? import::Shape{1, 3} : import::Shape{3}, {3, 5, 7});
    expect_run(model, {x, list({-1})}, kept ? import::Shape{2, 1} : import::Shape{2}, {3, 12});
  }
}

TEST(OnnxRunValues, AxisOfACumSum) {
  const OnnxModel model =
      OnnxModel().input("x", {2, 2}).input("axis", {}, OnnxModel::kInt64).node("CumSum", {"x", "axis"});
  const Value x = value_of({2, 2}, Floats{1, 2, 3, 4});
  expect_run(model, {x, value_of({}, Integers{0})}, {2, 2}, {1, 2, 4, 6});
  expect_run(model, {x, value_of({}, Integers{-1})}, {2, 2}, {1, 3, 3, 7});
  EXPECT_FALSE(run_on_cpu(model, {x, value_of({}, Integers{2})}, {{2, 2}}).ok());
}

TEST(OnnxRunValues, SqueezesUnitDimension) {
  const OnnxModel model =
      OnnxModel().input("x", {-1, -1, 1, 2}).integers("axes", {0, 2}).node("Squeeze", {"x", "axes"});
  expect_run(model, {value_of({1, 2, 1, 2}, numbered(4))}, {2, 2}, numbered(4));
  EXPECT_FALSE(run_on_cpu(model, {value_of({2, 1, 1, 2}, numbered(4))}, {{2, 2}}).ok());
}

TEST(OnnxRunValues, SizeOfDynamicShape) {
  const OnnxModel model =
      OnnxModel().input("x", {-1, 3}).node("Size", {"x"}, {"n"}).node("Cast", {"n"}).with("to", int64_t{1});
  expect_run(model, {value_of({2, 3}, numbered(6))}, {}, {6});
}

TEST(OnnxRunValues, InitializerInputsMayBeFed) {
  const OnnxModel model =
      OnnxModel().input("x", {2}).input("w", {2}).floats("w", {2}, {10, 20}).node("Add", {"x", "w"});
  const Value x = value_of({2}, Floats{1, 2});
  expect_run(model, {x}, {2}, {11, 22});
  import::Options options;
  options.input_shapes["w"] = {2};
  const import::Network network = model.network(options);
  ASSERT_EQ(network.inputs.size(), 2u);
  const List<Value> results = results_of(network, {x, value_of({2}, Floats{3, 4})}, {{2}});
  EXPECT_EQ(elements_of<float>(results[0]), (Floats{4, 6}));
}

}  // namespace
}  // namespace nnrt::test
