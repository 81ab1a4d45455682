#include "tests/import/onnx/onnx_model_writer.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

constexpr int64_t kSteps = 4, kInputs = 2, kHidden = 3;

OnnxModel layer(const std::string& type, int64_t gates, int64_t directions, const Names& more = {}) {
  const std::vector<float> w(size_t(directions * gates * kHidden * kInputs)),
      r(size_t(directions * gates * kHidden * kHidden));
  OnnxModel model = OnnxModel().input("x", {kSteps, -1, kInputs});
  model.floats("w", {directions, gates * kHidden, kInputs}, w);
  model.floats("r", {directions, gates * kHidden, kHidden}, r);
  Names inputs{"x", "w", "r"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return model.node(type, inputs, {"y", "last"}).output("y").output("last");
}

const import::Operation* find(const import::Network& network, int type) {
  for (const import::Operation& operation : network.operations)
    if (static_cast<int>(operation.type) == type) return &operation;
  return nullptr;
}

int parameter(const import::Operation& operation, int role) {
  for (const import::Parameter& parameter : operation.parameters) {
    if (static_cast<int>(parameter.role) == role) return static_cast<int>(parameter.value.at(0));
  }
  return -1;
}

TEST(OnnxRecurrent, GruHasItsDirectionsAsParameter) {
  const std::pair<const char*, int> kDirections[] = {{"forward", 0}, {"reverse", 1}, {"bidirectional", 2}};
  for (const auto& [name, value] : kDirections) {
    const int64_t directions = value == 2 ? 2 : 1;
    const auto network = layer("GRU", 3, directions)
                             .with("direction", std::string(name))
                             .with("linear_before_reset", int64_t{1})
                             .read();
    ASSERT_TRUE(network.ok()) << message(network);
    const import::Operation* const gru = find(network.value(), OH_NN_OPS_GRU);
    ASSERT_NE(gru, nullptr);
    EXPECT_EQ(parameter(*gru, OH_NN_GRU_DIRECTION), value);
    EXPECT_EQ(parameter(*gru, OH_NN_GRU_LINEAR_BEFORE_RESET), 1);
    const auto& tensors = network.value().tensors;
    const auto& outputs = network.value().outputs;
    const auto count = static_cast<int32_t>(directions);
    EXPECT_EQ(tensors[outputs[0]].shape, (import::Shape{kSteps, count, -1, kHidden}));
    EXPECT_EQ(tensors[outputs[1]].shape, (import::Shape{count, -1, kHidden}));
  }
}

TEST(OnnxRecurrent, RnnMayRectify) {
  OnnxModel model = layer("RNN", 1, 1);
  onnx_file::AttributeProto& functions = *model.graph().mutable_node(0)->add_attribute();
  functions.set_name("activations");
  functions.add_strings("Relu");
  const auto network = model.read();
  ASSERT_TRUE(network.ok()) << message(network);
  EXPECT_EQ(parameter(*find(network.value(), OH_NN_OPS_RNN), OH_NN_RNN_ACTIVATION_TYPE), 1);
  const auto plain = layer("RNN", 1, 1).read();
  ASSERT_TRUE(plain.ok()) << message(plain);
  EXPECT_EQ(parameter(*find(plain.value(), OH_NN_OPS_RNN), OH_NN_RNN_ACTIVATION_TYPE), 0);
  functions.set_strings(0, "Affine");
  EXPECT_EQ(
      message(model.read()),
      "Other functions of gates than the default ones are not supported. While converting RNN (node 0).");
}

TEST(OnnxRecurrent, RefusesSequencesOfDifferentLengths) {
  constexpr int32_t kInt32 = 6;
  for (const int32_t length : {int32_t{kSteps}, int32_t{kSteps - 1}}) {
    OnnxModel model = layer("GRU", 3, 1, {"", "lengths"});
    const int32_t lengths[] = {int32_t{kSteps}, length};
    model.constant("lengths", kInt32, {2},
                   std::string(reinterpret_cast<const char*>(lengths), sizeof(lengths)));
    EXPECT_EQ(model.read().ok(), length == kSteps);
  }
  OnnxModel fed = layer("GRU", 3, 1, {"", "lengths"});
  EXPECT_FALSE(fed.input("lengths", {2}, kInt32).read().ok());
}

TEST(OnnxRecurrent, RefusesWhatClips) {
  EXPECT_EQ(message(layer("GRU", 3, 1).with("clip", 1.0).read()),
            "A layer that clips is not supported. While converting GRU (node 0).");
}

}  // namespace
}  // namespace nnrt::test
