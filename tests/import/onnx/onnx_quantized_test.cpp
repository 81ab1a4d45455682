#include "tests/import/onnx/onnx_model_writer.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

bool rounds_ties_to_even(const import::Operation& operation) {
  return operation.attributes.is_set(Attr::ties_to_even);
}

OnnxModel quantize(int64_t opset = 21) {
  OnnxModel model(opset);
  model.input("x", {2, 3}).floats("s", {}, {0.5f});
  return model;
}

TEST(OnnxQuantized, RoundsTiesToEven) {
  const import::Network network = quantize().node("QuantizeLinear", {"x", "s"}).network();
  EXPECT_TRUE(rounds_ties_to_even(network.operations.at(0)));
}

TEST(OnnxQuantized, RoundsResultsOfOperatorsTheSameWay) {
  OnnxModel model = quantize().quantized("q", {2, 3}, {1, 2, 3, 4, 5, 6});
  model.node("QuantizeLinear", {"x", "s"}, {"a"}).with("output_dtype", OnnxModel::kInt8);
  model.node("DequantizeLinear", {"a", "s"}, {"b"}).node("DequantizeLinear", {"q", "s"}, {"c"});
  model.node("Add", {"b", "c"}, {"d"}).node("QuantizeLinear", {"d", "s"});
  const import::Network network = model.with("output_dtype", OnnxModel::kInt8).network();
  EXPECT_EQ(operations(network), (std::vector<Op>{Op::quant_dtype_cast, Op::add}));
  EXPECT_TRUE(rounds_ties_to_even(network.operations[1]));
}

TEST(OnnxQuantized, UsesOutputDtypeAttribute) {
  constexpr int kUint16 = 4, kFloat4 = 23;
  for (const auto& [number, type] :
       {std::pair{OnnxModel::kInt8, OH_NN_INT8}, {OnnxModel::kUint8, OH_NN_UINT8}, {kUint16, OH_NN_UINT16}}) {
    OnnxModel model = quantize().node("QuantizeLinear", {"x", "s"});
    const import::Network network = model.with("output_dtype", number).network();
    EXPECT_EQ(network.tensors[network.outputs[0]].type, type);
  }
  OnnxModel model = quantize().node("QuantizeLinear", {"x", "s"});
  EXPECT_EQ(message(model.with("output_dtype", kFloat4).read()),
            "OH_NN has no tensors of type FLOAT4E2M1. While converting QuantizeLinear (node 0).");
}

TEST(OnnxQuantized, RefusesAnAttributeBesideAnotherZeroPoint) {
  OnnxModel model = quantize().quantized("z", {}, {1});
  model.graph().mutable_initializer(1)->clear_dims();
  model.node("QuantizeLinear", {"x", "s", "z"}).with("output_dtype", OnnxModel::kUint8);
  EXPECT_EQ(message(model.read()),
            "The zero point is INT8, but output_dtype is UINT8. While converting QuantizeLinear (node 0).");
}

TEST(OnnxQuantized, DequantizesToTheTypeOfTheScale) {
  OnnxModel model(21);
  model.input("x", {3}, OnnxModel::kInt8).constant("s", OnnxModel::kFloat16, {}, std::string("\x00\x38", 2));
  const import::Network network = model.node("DequantizeLinear", {"x", "s"}).network();
  EXPECT_EQ(network.tensors[network.outputs[0]].type, OH_NN_FLOAT16);
}

TEST(OnnxQuantized, LeavesProductsOfIntegersAsSums) {
  OnnxModel model(13);
  model.input("x", {2, 4}, OnnxModel::kUint8).quantized("w", {4, 3}, std::vector<int8_t>(12, 5));
  const import::Network network = model.node("MatMulInteger", {"x", "w"}).network();
  const import::Operation& last = network.operations.back();
  EXPECT_EQ(last.type, Op::full_connection);
  EXPECT_EQ(network.tensors[last.outputs[0]].type, OH_NN_INT32);
  EXPECT_EQ(network.tensors[last.inputs[0]].type, OH_NN_INT8);
  EXPECT_FALSE(rounds_ties_to_even(last));
}

}  // namespace
}  // namespace nnrt::test
