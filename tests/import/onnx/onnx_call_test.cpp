#include "tests/import/onnx/onnx_model_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using Types = std::vector<Op>;

OnnxModel old_add(int64_t opset, const Dimensions& second) {
  return OnnxModel(opset)
      .input("x", {2, 3, 4, -1})
      .input("b", second)
      .node("Add", {"x", "b"})
      .with("broadcast", int64_t{1});
}

// The shape of the last operation's second operand.
nnrt::import::Shape second_shape(const import::Network& network) {
  return network.tensors[network.operations.back().inputs[1]].shape;
}

TEST(OnnxCall, BroadcastsFromAxisBeforeOpset7) {
  for (const int64_t opset : {5, 6}) {
    const import::Network network = old_add(opset, {3, -1}).with("axis", int64_t{1}).network();
    EXPECT_EQ(operations(network), (Types{Op::unsqueeze, Op::add}));
    EXPECT_EQ(second_shape(network), (import::Shape{3, -1, 1}));
    EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{2, 3, 4, -1}));
  }
}

TEST(OnnxCall, BroadcastsFromTheEndByDefault) {
  const import::Network network = old_add(6, {4, 1}).network();
  EXPECT_EQ(operations(network), Types{Op::add});
  const import::Network last = old_add(6, {4, 1}).with("axis", int64_t{2}).network();
  EXPECT_EQ(operations(last), Types{Op::add});
}

TEST(OnnxCall, FollowsNoAxisSinceOpset7) {
  const import::Network network = old_add(7, {4, 1}).with("axis", int64_t{0}).network();
  EXPECT_EQ(operations(network), Types{Op::add});
}

TEST(OnnxCall, RefusesBroadcastAxisOutOfRange) {
  EXPECT_EQ(
      message(old_add(6, {4, 1}).with("axis", int64_t{3}).read()),
      "The dimensions [4, 1] do not fit after axis (3) of [2, 3, 4, -1]. While converting Add (node 0).");
}

TEST(OnnxCall, ReadsTypeNamesBeforeOpset6) {
  OnnxModel model = OnnxModel(5).input("x", {2, 3}).node("Cast", {"x"});
  model.with("to", std::string("INT64"));
  const import::Network network = model.network();
  EXPECT_EQ(network.tensors[network.outputs[0]].type, OH_NN_INT64);
}

TEST(OnnxCall, AcceptsLegacyAttributes) {
  OnnxModel model = OnnxModel(5).input("x", {1, 3, 2, 2}).output("z");
  for (const char* name : {"scale", "bias", "mean", "variance"}) model.floats(name, {3}, {1, 1, 1});
  model.floats("slope", {3}, {0.5f, 0.25f, 0.125f});
  model.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"})
      .with("consumed_inputs", Dimensions{0, 0, 0, 1, 1})
      .with("is_test", int64_t{1});
  model.node("PRelu", {"y", "slope"}, {"p"});
  model.node("Upsample", {"p"}, {"z"}).with("height_scale", 2.0).with("width_scale", 3.0);
  const import::Network network = model.network();
  EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{1, 3, 4, 6}));
  EXPECT_EQ(operations(network)[1], Op::prelu);
}

}  // namespace
}  // namespace nnrt::test
