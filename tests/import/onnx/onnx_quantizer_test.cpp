#include "tests/import/onnx/onnx_model_writer.h"
#include "tools/import/load_network.h"
#include "tools/import/model_quantizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

using test::OnnxModel;

using Quantizer = Result<std::unique_ptr<ModelQuantizer>>;

Quantizer quantizer_of(const OnnxModel& model, const std::vector<std::string>& float_nodes = {}) {
  const std::string file = model.file.serialize();
  NNRT_ASSIGN(const Network network, load(std::as_bytes(std::span(file)), {}));
  return ModelQuantizer::create(network, "x.onnx", file, float_nodes);
}

// With ranges of [-1, 1] for all values.
QuantizedModel quantized(const OnnxModel& model, const std::vector<std::string>& float_nodes = {}) {
  const auto quantizer = quantizer_of(model, float_nodes).value();
  Ranges ranges;
  for (const import::TensorId value : quantizer->values()) ranges.emplace(value, ValueRange{-1, 1});
  return quantizer->quantize(ranges).value();
}

Network network_of(const QuantizedModel& made) {
  return load(std::as_bytes(std::span(made.file)), {}).value();
}

onnx_file::ModelProto parsed(const QuantizedModel& made) {
  onnx_file::ModelProto model;
  EXPECT_TRUE(model.parse(made.file));
  return model;
}

std::vector<std::string> labels_of(const QuantizedModel& made) {
  std::vector<std::string> labels;
  for (const QuantizedLayer& layer : made.layers) labels.push_back(layer.label);
  return labels;
}

// The constant that the node dequantizes as its second input, and the constant's scales.
struct Weights {
  std::string values;
  std::vector<float> scales;
};
Weights weights_of(const onnx_file::ModelProto& model, std::string_view type) {
  const auto& graph = model.graph();
  const auto node = std::ranges::find(graph.node(), type, &onnx_file::NodeProto::op_type);
  const auto linear =
      std::ranges::find_if(graph.node(), [&](const auto& it) { return it.output(0) == node->input(1); });
  const auto constant = [&](int i) {
    const auto found =
        std::ranges::find(graph.initializer(), linear->input(i), &onnx_file::TensorProto::name);
    return found->raw_data();
  };
  Weights made{constant(0), {}};
  const std::string scales = constant(1);
  made.scales.resize(scales.size() / sizeof(float));
  std::memcpy(made.scales.data(), scales.data(), scales.size());
  return made;
}

// x [batch, 2, 4, 4] through a convolution with two channels, a Relu, a Reshape and a product.
OnnxModel small_network(int64_t batch = 1) {
  OnnxModel model;
  model.input("x", {batch, 2, 4, 4}).output("y");
  model.floats("w", {2, 2, 1, 1}, {1, -2, 0.25f, 0.5f}).floats("b", {2}, {1, -1});
  model.integers("shape", {0, 32}).floats("m", {32, 3}, std::vector<float>(96, 0.5f));
  model.node("Conv", {"x", "w", "b"}, {"c"}).node("Relu", {"c"}, {"r"});
  model.node("Reshape", {"r", "shape"}, {"f"}).node("MatMul", {"f", "m"});
  return model;
}

}  // namespace

TEST(OnnxQuantizer, MakesOneOperationOfEachNodeWithWeights) {
  const QuantizedModel made = quantized(small_network());
  EXPECT_EQ(labels_of(made), (std::vector<std::string>{"Conv c + Relu", "MatMul y"}));
  const auto types = test::operations(network_of(made));
  EXPECT_EQ(std::ranges::count(types, Op::quant_dtype_cast), 2);
  EXPECT_EQ(std::ranges::count(types, Op::conv2d), 1);
  EXPECT_EQ(std::ranges::count(types, Op::relu), 0);
  EXPECT_EQ(std::ranges::count(types, Op::full_connection), 1);
}

TEST(OnnxQuantizer, KeepsNamesAndShapesOfInputsAndOutputs) {
  const Network network = network_of(quantized(small_network(-1)));
  EXPECT_EQ(network.tensors[network.inputs[0]].shape, (Shape{-1, 2, 4, 4}));
  EXPECT_EQ(network.tensors[network.inputs[0]].name, "x");
  EXPECT_EQ(network.tensors[network.outputs[0]].name, "y");
  EXPECT_EQ(network.tensors[network.outputs[0]].type, OH_NN_FLOAT32);
}

TEST(OnnxQuantizer, ScalesWeightsPerChannel) {
  const Weights weights = weights_of(parsed(quantized(small_network())), "Conv");
  EXPECT_EQ(weights.values, std::string({64, char(-127), 64, 127}));
  ASSERT_EQ(weights.scales.size(), 2u);
  EXPECT_FLOAT_EQ(weights.scales[0], 2.0f / 127);
  EXPECT_FLOAT_EQ(weights.scales[1], 0.5f / 127);
}

TEST(OnnxQuantizer, FoldsBatchNormalizationIntoWeights) {
  OnnxModel model;
  model.input("x", {1, 1, 2, 2}).output("y");
  model.floats("w", {1, 1, 1, 1}, {2}).floats("gamma", {1}, {3}).floats("beta", {1}, {0.5f});
  model.floats("mean", {1}, {1}).floats("variance", {1}, {4});
  model.node("Conv", {"x", "w"}, {"c"});
  model.node("BatchNormalization", {"c", "gamma", "beta", "mean", "variance"}).with("epsilon", 0.0);
  const onnx_file::ModelProto made = parsed(quantized(model));
  EXPECT_FLOAT_EQ(weights_of(made, "Conv").scales.at(0) * 127, 3);
  EXPECT_EQ(std::ranges::count(made.graph().node(), "BatchNormalization", &onnx_file::NodeProto::op_type), 0);
}

TEST(OnnxQuantizer, KeepsResidualStreamsAndScoresFloat) {
  OnnxModel model(17);
  model.input("x", {1, 4, 8}).output("y").floats("m", {8, 8}, std::vector<float>(64, 0.5f));
  model.floats("g", {8}, std::vector<float>(8, 1));
  model.node("LayerNormalization", {"x", "g"}, {"n"}).node("MatMul", {"n", "m"}, {"p"});
  model.node("Add", {"x", "p"}, {"s"}).node("Softmax", {"s"});
  const QuantizedModel made = quantized(model);
  EXPECT_EQ(labels_of(made), (std::vector<std::string>{"MatMul p"}));
  EXPECT_EQ(made.float_layers.size(), 3u);
}

TEST(OnnxQuantizer, GatesOfFeatureMapsMayBeFloat) {
  OnnxModel model;
  model.input("x", {1, 2, 4, 4}).output("y").floats("w", {2, 2, 1, 1}, {1, -2, 0.25f, 0.5f});
  model.node("Conv", {"x", "w"}, {"c"}).node("GlobalAveragePool", {"c"}, {"p"});
  model.node("HardSigmoid", {"p"}, {"g"}).with("alpha", 1.0 / 6).node("Mul", {"c", "g"});
  const std::vector<std::string> labels = labels_of(quantized(model));
  EXPECT_EQ(std::ranges::count(labels, "Mul y"), 1);
}

}  // namespace nnrt::import
