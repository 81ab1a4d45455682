#include "tests/import/onnx/onnx_model_writer.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

OH_NN_DataType output_type(const import::Network& network) {
  return network.tensors[network.outputs[0]].type;
}

// FLOAT32 has neither its precision nor its range.
TEST(OnnxWiderTypes, RefuseFloat64) {
  constexpr int32_t kFloat64 = 11;
  const auto network = OnnxModel().input("x", {2, 3}, kFloat64).node("Erf", {"x"}).read();
  ASSERT_FALSE(network.ok());
  EXPECT_EQ(network.error().code, Code::unsupported);
}

TEST(OnnxWiderTypes, ComputeSmallIntegersInInt32) {
  constexpr int32_t kUint16 = 4;
  const import::Network network = OnnxModel().input("x", {2}, kUint16).node("Max", {"x", "x"}).network();
  EXPECT_EQ(operations(network), (std::vector{Op::cast, Op::cast, Op::maximum, Op::cast}));
  EXPECT_EQ(output_type(network), OH_NN_UINT16);
}

TEST(OnnxWiderTypes, ComputeIntegersAsFloats) {
  const import::Network network = OnnxModel()
                                      .input("x", {1, 1, 4, 4}, OnnxModel::kUint8)
                                      .node("MaxPool", {"x"})
                                      .with("kernel_shape", Dimensions{2, 2})
                                      .network();
  EXPECT_EQ(operations(network), (std::vector{Op::cast, Op::max_pool, Op::cast}));
}

TEST(OnnxWiderTypes, RejectTypesWithoutWiderOne) {
  constexpr int32_t kUint64 = 13;
  const auto network = OnnxModel().input("x", {2}, kUint64).node("Sqrt", {"x"}).read();
  EXPECT_TRUE(message(network).starts_with("Dtype of the input (UINT64) is not one of ")) << message(network);
}

}  // namespace
}  // namespace nnrt::test
