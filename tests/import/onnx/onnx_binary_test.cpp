#include "tests/import/onnx/onnx_model_writer.h"

#include <neural_network_runtime/nnrt_operators.h>

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

OnnxModel two(const std::string& type, int32_t dtype, int64_t opset = 18) {
  return OnnxModel(opset).input("a", {2, -1}, dtype).input("b", {3}, dtype).node(type, {"a", "b"}, {"y"});
}

Op only_operation(const import::Network& network) {
  EXPECT_EQ(network.operations.size(), 1u);
  return network.operations.at(0).type;
}

TEST(OnnxBinary, CombinesBits) {
  const std::pair<const char*, Op> kOperators[] = {
      {"BitwiseAnd", Op::bitwise_and}, {"BitwiseOr", Op::bitwise_or}, {"BitwiseXor", Op::bitwise_xor}};
  for (const auto& [name, type] : kOperators) {
    const import::Network network = two(name, OnnxModel::kUint8).network();
    EXPECT_EQ(only_operation(network), type);
    EXPECT_EQ(network.tensors[network.outputs[0]].shape, (import::Shape{2, 3}));
  }
}

TEST(OnnxBinary, RefusesAShiftWithoutDirection) {
  EXPECT_EQ(message(two("BitShift", OnnxModel::kUint8).read()),
            "The direction () is neither LEFT nor RIGHT. While converting BitShift (node 0).");
}

}  // namespace
}  // namespace nnrt::test
