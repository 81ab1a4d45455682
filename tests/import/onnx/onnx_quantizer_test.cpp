#include "tools/import/onnx/quantizer/onnx_quantizer.h"

#include "tests/import/onnx/onnx_model_writer.h"
#include "tools/import/load_network.h"
#include "tools/import/load_quantizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace nnrt::import {
namespace {

using test::OnnxModel;
using Types = std::vector<OH_NN_OperationType>;

using Quantizer = Result<std::unique_ptr<ModelQuantizer>>;

Quantizer quantizer_of(const OnnxModel& model, const std::vector<std::string>& float_nodes = {}) {
  return read_onnx_quantizer(model.file.serialize(), {}, float_nodes);
}

Ranges ranges_of(const ModelQuantizer& quantizer) {
  Ranges ranges;
  for (const std::string& value : quantizer.values()) ranges.emplace(value, ValueRange{-1, 1});
  return ranges;
}

std::string message_of(const Quantizer& made) { return made.ok() ? "" : made.error().message; }

// With ranges of [-1, 1] for all values.
QuantizedModel quantized(const OnnxModel& model, const std::vector<std::string>& float_nodes = {}) {
  const auto quantizer = quantizer_of(model, float_nodes);
  if (!quantizer.ok()) throw std::runtime_error(quantizer.error().message);
  auto made = quantizer.value()->quantize(ranges_of(*quantizer.value()));
  if (!made.ok()) throw std::runtime_error(made.error().message);
  return std::move(made).value();
}

Network network_of(const QuantizedModel& made) {
  auto network = load(std::as_bytes(std::span(made.file)), {});
  if (!network.ok()) throw std::runtime_error(network.error().message);
  return std::move(network).value();
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

const onnx_file::TensorProto& constant(const onnx_file::ModelProto& model, const char* name) {
  for (const auto& tensor : model.graph().initializer()) {
    if (tensor.name() == name) return tensor;
  }
  throw std::runtime_error(std::string("no constant ") + name);
}

// x [1, 2, 4, 4] through a convolution with two channels, a Relu, a Reshape and a product.
OnnxModel small_network(int64_t opset = 13) {
  OnnxModel model(opset);
  model.input("x", {1, 2, 4, 4}).output("y");
  model.floats("w", {2, 2, 1, 1}, {1, -2, 0.25f, 0.5f}).floats("b", {2}, {1, -1});
  model.integers("shape", {1, 32}).floats("m", {32, 3}, std::vector<float>(96, 0.5f));
  model.node("Conv", {"x", "w", "b"}, {"c"}).node("Relu", {"c"}, {"r"});
  model.node("Reshape", {"r", "shape"}, {"f"}).node("MatMul", {"f", "m"}, {"y"});
  return model;
}

}  // namespace

TEST(OnnxQuantizer, MakesOneOperationOfEachNodeWithWeights) {
  const QuantizedModel made = quantized(small_network());
  EXPECT_EQ(labels_of(made), (std::vector<std::string>{"Conv c + Relu", "MatMul y"}));
  const Types types = test::operations(network_of(made));
  EXPECT_EQ(std::ranges::count(types, OH_NN_OPS_QUANT_DTYPE_CAST), 2);
  EXPECT_EQ(std::ranges::count(types, OH_NN_OPS_CONV2D), 1);
  EXPECT_EQ(std::ranges::count(types, OH_NN_OPS_RELU), 0);
  EXPECT_EQ(std::ranges::count(types, OH_NN_OPS_FULL_CONNECTION), 1);
}

TEST(OnnxQuantizer, KeepsNamesAndShapesOfInputsAndOutputs) {
  const Network network = network_of(quantized(small_network()));
  EXPECT_EQ(network.tensors[network.inputs[0]].name, "x");
  EXPECT_EQ(network.tensors[network.outputs[0]].name, "y");
  EXPECT_EQ(network.tensors[network.outputs[0]].type, OH_NN_FLOAT32);
}

TEST(OnnxQuantizer, ScalesWeightsPerChannel) {
  const onnx_file::ModelProto model = parsed(quantized(small_network()));
  const auto& weights = constant(model, "c_weight_quantized");
  EXPECT_EQ(weights.raw_data(), std::string({64, char(-127), 64, 127}));
  std::vector<float> scales(2), bias_scales(2);
  std::memcpy(scales.data(), constant(model, "c_weight_scale").raw_data().data(), 8);
  EXPECT_FLOAT_EQ(scales[0], 2.0f / 127);
  EXPECT_FLOAT_EQ(scales[1], 0.5f / 127);
  std::memcpy(bias_scales.data(), constant(model, "c_bias_scale").raw_data().data(), 8);
  EXPECT_FLOAT_EQ(bias_scales[1], scales[1] * 2 / 255);
  std::vector<int32_t> bias(2);
  std::memcpy(bias.data(), constant(model, "c_bias_quantized").raw_data().data(), 8);
  EXPECT_NEAR(static_cast<double>(bias[1]) * bias_scales[1], -1, 1e-4);
  EXPECT_EQ(std::ranges::count_if(model.graph().initializer(),
                                  [](const auto& tensor) { return tensor.name() == "w"; }),
            0);
}

// At this opset only Microsoft's domain has per-channel scales.
TEST(OnnxQuantizer, WritesOldOpsetsWithNodesOfAnotherDomain) {
  const QuantizedModel made = quantized(small_network(11));
  const onnx_file::ModelProto model = parsed(made);
  EXPECT_EQ(model.opset_import_size(), 2);
  for (const auto& node : model.graph().node())
    EXPECT_EQ(node.domain(), node.op_type().ends_with("Linear") ? "com.microsoft" : "") << node.op_type();
  EXPECT_EQ(std::ranges::count(test::operations(network_of(made)), OH_NN_OPS_QUANT_DTYPE_CAST), 2);
}

TEST(OnnxQuantizer, RaisesOldOpsetsByConstantsWithFreeNames) {
  OnnxModel old(9);
  old.input("x", {1, 2, 4, 4}).output("y");
  old.floats("w", {2, 2, 1, 1}, {1, -2, 0.25f, 0.5f}).floats("s_starts", {1}, {3});
  old.node("Conv", {"x", "w"}, {"c"}).node("Slice", {"c"}, {"s"});
  old.with("starts", test::Dimensions{1}).with("ends", test::Dimensions{3}).with("axes", test::Dimensions{2});
  old.node("Mul", {"s", "s_starts"}, {"s_ends"}).node("Relu", {"s_ends"}, {"y"});
  const onnx_file::ModelProto model = parsed(quantized(old));
  EXPECT_EQ(model.opset_import(0).version(), 10);
  EXPECT_EQ(constant(model, "s_starts_").data_type(), 7);
  const auto& nodes = model.graph().node();
  const auto slice = std::ranges::find(nodes, "Slice", &onnx_file::NodeProto::op_type);
  ASSERT_NE(slice, nodes.end());
  ASSERT_EQ(slice->input_size(), 4);
  EXPECT_EQ(slice->input(1), "s_starts_");
  EXPECT_EQ(slice->input(2), "s_ends_");
  EXPECT_EQ(constant(model, "s_ends_").data_type(), 7);
}

TEST(OnnxQuantizer, FoldsBatchNormalizationIntoWeights) {
  OnnxModel model;
  model.input("x", {1, 1, 2, 2}).output("y");
  model.floats("w", {1, 1, 1, 1}, {2}).floats("gamma", {1}, {3}).floats("beta", {1}, {0.5f});
  model.floats("mean", {1}, {1}).floats("variance", {1}, {4});
  model.node("Conv", {"x", "w"}, {"c"});
  model.node("BatchNormalization", {"c", "gamma", "beta", "mean", "variance"}, {"y"}).with("epsilon", 0.0);
  const onnx_file::ModelProto made = parsed(quantized(model));
  float scale = 0;
  std::memcpy(&scale, constant(made, "y_weight_scale").raw_data().data(), sizeof scale);
  EXPECT_FLOAT_EQ(scale * 127, 3);
  int32_t bias = 0;
  std::memcpy(&bias, constant(made, "y_bias_quantized").raw_data().data(), sizeof bias);
  EXPECT_NEAR(static_cast<double>(bias) * static_cast<double>(scale) * 2 / 255, -1, 1e-3);
}

TEST(OnnxQuantizer, ReadsWeightsBehindNodesOfConstants) {
  OnnxModel model;
  model.input("x", {1, 2}).output("y");
  model.floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).node("Identity", {"w"}, {"v"});
  model.node("Transpose", {"v"}, {"t"})
      .with("perm", test::Dimensions{1, 0})
      .node("MatMul", {"x", "t"}, {"y"});
  const onnx_file::ModelProto made = parsed(quantized(model));
  EXPECT_EQ(constant(made, "y_weight_quantized").dims(0), 2);
  EXPECT_EQ(constant(made, "y_weight_quantized").raw_data(), std::string({64, 95, 106, 127, 127, 127}));
}

TEST(OnnxQuantizer, KeepsResidualStreamsAndScoresFloat) {
  OnnxModel model(17);
  model.input("x", {1, 4, 8}).output("y").floats("m", {8, 8}, std::vector<float>(64, 0.5f));
  model.floats("g", {8}, std::vector<float>(8, 1));
  model.node("LayerNormalization", {"x", "g"}, {"n"}).node("MatMul", {"n", "m"}, {"p"});
  model.node("Add", {"x", "p"}, {"s"}).node("Softmax", {"s"}, {"y"});
  const QuantizedModel made = quantized(model);
  EXPECT_EQ(labels_of(made), (std::vector<std::string>{"MatMul p"}));
  EXPECT_EQ(made.float_layers.size(), 3u);
}

TEST(OnnxQuantizer, KeepsFloatsWithoutRange) {
  const auto quantizer = quantizer_of(small_network());
  ASSERT_TRUE(quantizer.ok());
  EXPECT_EQ(quantizer.value()->values(), (std::vector<std::string>{"x", "r", "y"}));
  const auto made = quantizer.value()->quantize({{"r", {0, 1}}, {"y", {0, 1}}});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(labels_of(made.value()), (std::vector<std::string>{"MatMul y"}));
  EXPECT_FALSE(quantizer.value()->quantize({}).ok());
}

TEST(OnnxQuantizer, KeepsSharedWeights) {
  OnnxModel model = small_network();
  model.output("z").node("Sqrt", {"w"}, {"z"});
  EXPECT_EQ(constant(parsed(quantized(model)), "w").dims_size(), 4);
}

TEST(OnnxQuantizer, RefusesInOneSentence) {
  EXPECT_NE(message_of(quantizer_of(small_network(), {"nobody"})).find("no node or operator named (nobody)"),
            std::string::npos);
  EXPECT_NE(message_of(quantizer_of(small_network(), {"Conv", "MatMul"})).find("to quantize."),
            std::string::npos);
  OnnxModel quantized_already = small_network();
  quantized_already.floats("s", {}, {1}).node("QuantizeLinear", {"y", "s"}, {"q"}).output("q");
  EXPECT_NE(message_of(quantizer_of(quantized_already)).find("already quantized"), std::string::npos);
  EXPECT_FALSE(read_quantizer("nowhere.onnx", "x.onnx", {}).ok());
}

TEST(OnnxQuantizer, ReturnsRequestedValues) {
  const auto quantizer = quantizer_of(small_network());
  ASSERT_TRUE(quantizer.ok());
  const std::vector<std::string> values{"r", "x"};
  const auto network = quantizer.value()->network(values, {});
  ASSERT_TRUE(network.ok()) << network.error().message;
  ASSERT_EQ(network.value().outputs.size(), 2u);
  EXPECT_EQ(network.value().tensors[network.value().outputs[0]].name, "r");
}

}  // namespace nnrt::import
