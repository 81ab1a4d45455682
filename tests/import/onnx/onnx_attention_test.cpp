// Attention of ONNX and ONNX Runtime becomes one operator if that supports everything requested.
#include "tests/import/onnx/onnx_model_writer.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

// Four query heads and two key/value heads of size four.
OnnxModel attention(const Names& more = {}) {
  OnnxModel model(23);
  model.input("q", {2, 4, 5, 4}).input("k", {2, 2, 5, 4}).input("v", {2, 2, 5, 4});
  Names inputs{"q", "k", "v"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return model.node("Attention", inputs, {"y"});
}

const import::Operation* find(const import::Network& network, Op type) {
  const auto found = std::ranges::find(network.operations, type, &import::Operation::type);
  return found == network.operations.end() ? nullptr : &*found;
}

int64_t causal_of(const import::Operation& operation) { return operation.attributes.integer(Attr::causal); }

TEST(OnnxAttention, IsOneOperatorOfGroupedHeads) {
  const import::Network network = attention().with("is_causal", int64_t{1}).network();
  ASSERT_EQ(network.operations.size(), 1u);
  const import::Operation* const found = find(network, Op::attention);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(causal_of(*found), 1);
}

TEST(OnnxAttention, TakesAMaskOfFlagsAsItIs) {
  const import::Network network = attention({"mask"}).input("mask", {5, 5}, OnnxModel::kBool).network();
  ASSERT_EQ(network.operations.size(), 1u);
  EXPECT_EQ(network.operations[0].inputs.size(), 4u);
}

TEST(OnnxAttention, ComposesSoftcap) {
  const import::Network network = attention().with("softcap", 2.0).network();
  EXPECT_EQ(find(network, Op::attention), nullptr);
  EXPECT_NE(find(network, Op::tanh), nullptr);
}

TEST(OnnxAttention, FusesADecoderStep) {
  OnnxModel model(23);
  model.input("q", {2, 4, 1, 4}).input("k", {2, 2, 1, 4}).input("v", {2, 2, 1, 4});
  model.input("past_k", {2, 2, -1, 4}).input("past_v", {2, 2, -1, 4});
  model.node("Attention", {"q", "k", "v", "", "past_k", "past_v"}, {"y", "present_k", "present_v"});
  model.output("y").output("present_k").output("present_v");
  const import::Network network = model.with("is_causal", 1).network();
  const import::Operation* const found = find(network, Op::attention);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(causal_of(*found), 2);
  EXPECT_EQ(network.operations.size(), 3u);
}

TEST(OnnxAttention, MasksByCacheLength) {
  OnnxModel model(24);
  model.input("q", {2, 4, 1, 4}).input("k", {2, 2, 8, 4}).input("v", {2, 2, 8, 4});
  model.input("lengths", {2}, OnnxModel::kInt64);
  model.node("Attention", {"q", "k", "v", "", "", "", "lengths"});
  const import::Network network = model.with("is_causal", 1).network();
  const import::Operation* const found = find(network, Op::attention);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(causal_of(*found), 0);
  EXPECT_EQ(found->inputs.size(), 4u);
}

TEST(OnnxAttention, RejectsMissingHeads) {
  OnnxModel model(23);
  model.input("q", {2, 4}).input("k", {2, 4}).input("v", {2, 4});
  model.node("Attention", {"q", "k", "v"});
  EXPECT_EQ(message(model.read()),
            "An operand of shape [2, 4] has no heads. While converting Attention (node 0).");
}

TEST(OnnxAttention, RefusesMoreHeadsThanFit) {
  OnnxModel model;
  model.input("x", {1, 3, 8}).input("past", {1, 2, 4, 4});
  model.node("GroupQueryAttention", {"x", "", "", "past", "past"}).domain("com.microsoft");
  EXPECT_EQ(message(model.with("num_heads", int64_t{2}).with("kv_num_heads", INT64_MAX / 2).read()),
            "Attribute kv_num_heads (4611686018427387903) is outside [0, 2147483647]. While converting "
            "GroupQueryAttention (node 0).");
}

TEST(OnnxAttention, OfOneDirectionEndsWithTheLastKey) {
  OnnxModel model;
  model.input("q", {1, 3, 8}).input("k", {1, 5, 8}).input("v", {1, 5, 8});
  model.node("MultiHeadAttention", {"q", "k", "v"}).domain("com.microsoft");
  const import::Network network =
      model.with("num_heads", int64_t{2}).with("unidirectional", int64_t{1}).network();
  const import::Operation* const found = find(network, Op::attention);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(causal_of(*found), 2);
}

}  // namespace
}  // namespace nnrt::test
