#include "tests/import/onnx/onnx_model_writer.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

#include <cstring>

namespace nnrt::test {
namespace {

constexpr int32_t kInt8 = 3;
constexpr int64_t kInner = 3, kColumns = 2;

// A product with dequantized weights, [inner, columns] or transposed.
OnnxModel product(const std::string& type, bool transposed, const std::vector<float>& scales, int64_t axis) {
  OnnxModel model;
  model.input("x", {-1, kInner}).floats("s", {static_cast<int64_t>(scales.size())}, scales);
  if (scales.size() == 1) model.graph().mutable_initializer(0)->clear_dims();
  const std::string bytes{1, 2, 3, 4, char(-5), char(-60)};
  model.constant("q", kInt8, transposed ? Dimensions{kColumns, kInner} : Dimensions{kInner, kColumns}, bytes);
  model.node("DequantizeLinear", {"q", "s"}, {"w"}).with("axis", axis);
  model.node(type, {"x", "w"}, {"y"});
  if (transposed) model.with("transB", int64_t{1});
  return model;
}

const import::Operation* find_nbits(const import::Network& network) {
  for (const import::Operation& operation : network.operations)
    if (operation.type == Op::matmul_nbits) return &operation;
  return nullptr;
}

std::vector<int> bytes_of(const import::Network& network, uint32_t tensor) {
  std::vector<int> values;
  for (const std::byte value : *network.tensors[tensor].data) values.push_back(static_cast<int>(value));
  return values;
}

std::vector<float> floats_of(const import::Network& network, uint32_t tensor) {
  const auto& bytes = *network.tensors[tensor].data;
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(OnnxWeightOnly, KeepsTheBytesOfDequantizedWeights) {
  const import::Network network = product("MatMul", false, {0.5f, 0.25f}, 1).network();
  const import::Operation* const nbits = find_nbits(network);
  ASSERT_NE(nbits, nullptr);
  EXPECT_EQ(bytes_of(network, nbits->inputs[1]), (std::vector<int>{129, 131, 123, 130, 132, 68}));
  EXPECT_EQ(bytes_of(network, nbits->inputs[3]), (std::vector<int>{128, 128}));
}

TEST(OnnxWeightOnly, ReadsTransposedWeightsInPlace) {
  for (const auto& [scales, axis] : {std::pair{std::vector{0.5f, 0.25f}, 0}, {std::vector{0.5f}, 1}}) {
    const import::Network network = product("Gemm", true, scales, axis).network();
    const import::Operation* const nbits = find_nbits(network);
    ASSERT_NE(nbits, nullptr);
    EXPECT_EQ(bytes_of(network, nbits->inputs[1]), (std::vector<int>{129, 130, 131, 132, 123, 68}));
  }
}

TEST(OnnxWeightOnly, LeavesScalesAlongTheSumToFloats) {
  const import::Network network = product("MatMul", false, {0.5f, 0.25f, 2}, 0).network();
  EXPECT_EQ(find_nbits(network), nullptr);
}

constexpr int32_t kUint4 = 21, kInt4 = 22;

// DequantizeLinear of the INT4 elements 1, -2, 3, 4, -5, 6 in shape [2, 3], in blocks of two along the axis.
OnnxModel dequantized_blocks(int64_t axis, const Dimensions& scales) {
  OnnxModel model(21);
  model.constant("q", kInt4, {2, 3}, "\xe1\x43\x6b");
  model.floats("s", scales, axis == 0 ? std::vector<float>{1, 2, 4} : std::vector<float>{1, 2, 4, 8});
  model.node("DequantizeLinear", {"q", "s"}, {"w"}).with("axis", axis);
  return model.with("block_size", int64_t{2});
}

TEST(OnnxWeightOnly, KeepsFourBitsOfBlocks) {
  OnnxModel model = dequantized_blocks(0, {1, 3});
  const import::Network network = model.input("x", {-1, 2}).node("MatMul", {"x", "w"}).network();
  const import::Operation* const nbits = find_nbits(network);
  ASSERT_NE(nbits, nullptr);
  EXPECT_EQ(network.tensors[nbits->inputs[1]].shape, (import::Shape{3, 1}));
  // Columns (1, 4), (-2, -5), (3, 6), each element plus 8.
  EXPECT_EQ(bytes_of(network, nbits->inputs[1]), (std::vector<int>{0xc9, 0x36, 0xeb}));
  EXPECT_EQ(bytes_of(network, nbits->inputs[3]), (std::vector<int>{8, 8, 8}));
}

TEST(OnnxWeightOnly, ReadsTwoBits) {
  constexpr int32_t kUint2 = 25, kInt2 = 26;
  for (const int32_t type : {kUint2, kInt2}) {
    OnnxModel model(25);
    model.constant("q", type, {5}, std::string("\x39\x01", 2));
    model.floats("s", {}, {2}).node("DequantizeLinear", {"q", "s"}, {"w"});
    const import::Network network = model.input("x", {5}).node("Add", {"x", "w"}).network();
    const uint32_t w = network.operations.at(0).inputs.at(1);
    EXPECT_EQ(floats_of(network, w),
              type == kInt2 ? (std::vector<float>{2, -4, -2, 0, 2}) : (std::vector<float>{2, 4, 6, 0, 2}));
  }
}

TEST(OnnxWeightOnly, MakesFloatsOfBlocksForOthers) {
  OnnxModel model = dequantized_blocks(1, {2, 2});
  const import::Network network = model.input("x", {2, 3}).node("Add", {"x", "w"}).network();
  const uint32_t w = network.operations.at(0).inputs.at(1);
  EXPECT_EQ(floats_of(network, w), (std::vector<float>{1, -2, 6, 16, -20, 48}));
}

TEST(OnnxWeightOnly, RefusesScalesOfOtherBlocks) {
  OnnxModel model = dequantized_blocks(1, {2, 1});
  model.graph().mutable_initializer(1)->mutable_raw_data()->resize(8);
  const auto network = model.input("x", {2, 3}).node("Add", {"x", "w"}).read();
  EXPECT_EQ(message(network),
            "The scales ([2, 1]) are not one per block ([2, 2]). While converting DequantizeLinear (node "
            "0).");
}

TEST(OnnxWeightOnly, ReadsUnsignedPairs) {
  OnnxModel model(21);
  model.input("x", {-1, 3}).constant("q", kUint4, {3, 1}, "\xf1\x07");
  model.floats("s", {}, {0.5f}).node("DequantizeLinear", {"q", "s"}, {"w"});
  const import::Network network = model.node("MatMul", {"x", "w"}).network();
  const import::Operation* const nbits = find_nbits(network);
  ASSERT_NE(nbits, nullptr);
  EXPECT_EQ(bytes_of(network, nbits->inputs[1]), (std::vector<int>{0xf1, 0x07}));
  EXPECT_EQ(bytes_of(network, nbits->inputs[3]), std::vector<int>{0});
}

OnnxModel of_few_bits(const Names& more = {}) {
  OnnxModel model;
  model.input("x", {-1, 20});
  model.constant("w", 2, {1, 2, 8}, std::string(16, '\x5a'));
  model.floats("s", {2}, {1, 2});
  Names inputs{"x", "w", "s"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  model.node("MatMulNBits", inputs, {"y"}).domain("com.microsoft");
  return model.with("K", int64_t{20})
      .with("N", int64_t{1})
      .with("bits", int64_t{4})
      .with("block_size", int64_t{16});
}

TEST(OnnxWeightOnly, DropsThePaddingOfTheLastBlock) {
  const import::Network network = of_few_bits().network();
  const import::Operation* const nbits = find_nbits(network);
  ASSERT_NE(nbits, nullptr);
  EXPECT_EQ(network.tensors[nbits->inputs[1]].shape, (import::Shape{1, 10}));
  EXPECT_EQ(bytes_of(network, nbits->inputs[3]), (std::vector<int>{8, 8}));
}

TEST(OnnxWeightOnly, ApproximatesOnlyAtAccuracyLevel4) {
  for (const int64_t level : {0, 1, 3, 4}) {
    const import::Network network = of_few_bits().with("accuracy_level", level).network();
    EXPECT_EQ(find_nbits(network)->attributes.is_set(Attr::approximate), level == 4) << level;
  }
}

TEST(OnnxWeightOnly, AcceptsIntegralZeroPoints) {
  const import::Network whole = of_few_bits({"z"}).floats("z", {2}, {3, 15}).network();
  EXPECT_EQ(bytes_of(whole, find_nbits(whole)->inputs[3]), (std::vector<int>{3, 15}));
}

TEST(OnnxWeightOnly, DequantizesFractionalZeroPoints) {
  const import::Network network = of_few_bits({"z"}).floats("z", {2}, {3, 7.5f}).network();
  EXPECT_EQ(find_nbits(network), nullptr);
  const uint32_t w = network.operations.at(0).inputs.at(1);
  const std::vector<float> values = floats_of(network, w);
  ASSERT_EQ(values.size(), 20u);
  EXPECT_EQ(values[0], 7) << "0xa less 3";
  EXPECT_EQ(values[1], 2) << "5 less 3";
  EXPECT_EQ(values[17], -5) << "5 less 7.5, twice";
}

}  // namespace
}  // namespace nnrt::test
