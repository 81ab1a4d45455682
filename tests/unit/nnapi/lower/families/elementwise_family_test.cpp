#include "tests/unit/nnapi/single_operation.h"

namespace nnapi_tests {
namespace {

// The results of an activation for 0, 1, 3, 5, 7 and 9 with zero point 4.
std::vector<uint8_t> activated(int32_t code, float scale, int32_t zero_point) {
  const Type input(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, {6}, 1, 4);
  OneOperation activation(code);
  activation.input(input);
  activation.output(Type(input.type.type, {6}, scale, zero_point));
  EXPECT_EQ(activation.add(), kOk);
  EXPECT_EQ(activation.end({0}), kOk);
  const Compilation compilation = finished(open_for_device(activation.model()));
  const Execution execution = execution_of(compilation);
  const uint8_t x[6] = {0, 1, 3, 5, 7, 9};
  std::vector<uint8_t> y(6);
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, x, 6), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, y.data(), 6), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), kOk);
  return y;
}

using Bytes = std::vector<uint8_t>;

TEST(ElementwiseFamily, ActivationsHaveTheQuantizationOfTheirResult) {
  EXPECT_EQ(activated(ANEURALNETWORKS_RELU, 0.5f, 10), Bytes({10, 10, 10, 12, 16, 20}));
  EXPECT_EQ(activated(ANEURALNETWORKS_RELU1, 0.5f, 10), Bytes({8, 8, 8, 12, 12, 12}));
  EXPECT_EQ(activated(ANEURALNETWORKS_RELU1, 1, 4), Bytes({3, 3, 3, 5, 5, 5}));
  EXPECT_EQ(activated(ANEURALNETWORKS_RELU6, 0.5f, 10), Bytes({10, 10, 10, 12, 16, 20}));
}

}  // namespace
}  // namespace nnapi_tests
