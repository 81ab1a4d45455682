#include "tests/import/onnx/onnx_runs.h"
#include "tools/import/network/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nnrt::test {
namespace {

using Types = std::vector<OH_NN_OperationType>;

TEST(OnnxUnary, IsNaN) {
  const import::Network network = OnnxModel().input("x", {-1, 3}).node("IsNaN", {"x"}).network();
  ASSERT_EQ(operations(network), Types{OH_NN_OPS_NOT_EQUAL});
  const std::vector<import::TensorId>& inputs = network.operations[0].inputs;
  EXPECT_EQ(inputs[0], inputs[1]);
  const import::Tensor& output = network.tensors[network.outputs[0]];
  EXPECT_EQ(output.type, OH_NN_BOOL);
  EXPECT_EQ(output.shape, (import::Shape{-1, 3}));
}

Types infinity_test(int32_t type, bool positive, bool negative) {
  OnnxModel model = OnnxModel().input("x", {2, 3}, type).node("IsInf", {"x"});
  model.with("detect_positive", int64_t{positive}).with("detect_negative", int64_t{negative});
  const auto network = model.read();
  EXPECT_TRUE(network.ok()) << message(network);
  return network.ok() ? operations(network.value()) : Types{};
}

TEST(OnnxUnary, IsInfDetectsRequestedSigns) {
  constexpr int32_t kFloat64 = 11;
  for (const int32_t type : {OnnxModel::kFloat32, OnnxModel::kFloat16}) {
    EXPECT_EQ(infinity_test(type, true, true), (Types{OH_NN_OPS_ABS, OH_NN_OPS_EQUAL}));
    EXPECT_EQ(infinity_test(type, true, false), Types{OH_NN_OPS_EQUAL});
    EXPECT_EQ(infinity_test(type, false, true), Types{OH_NN_OPS_EQUAL});
    EXPECT_EQ(infinity_test(type, false, false), Types{OH_NN_OPS_LESS});
  }
  EXPECT_EQ(infinity_test(kFloat64, true, true),
            (Types{OH_NN_OPS_EQUAL, OH_NN_OPS_EQUAL, OH_NN_OPS_LOGICAL_OR}));
}

TEST(OnnxUnary, RoundsHalfToEven) {
  const std::vector<float> x{-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 0.75f, 8388609.0f};
  const OnnxModel model = OnnxModel().input("x", {8}).node("Round", {"x"});
  const import::Network network = model.network();
  EXPECT_EQ(operations(network), Types{import::extension(OH_NN_OPS_ROUND_HALF_EVEN)});
  const List<Value> results = results_of(model, {value_of({8}, x)}, {{8}});
  EXPECT_EQ(elements_of<float>(results[0]), (std::vector<float>{-2, -2, 0, 0, 2, 2, 1, 8388609}));
}

}  // namespace
}  // namespace nnrt::test
