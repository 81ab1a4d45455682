#include "tests/unit/nnapi/single_operation.h"

namespace nnapi_tests {
namespace {

constexpr int32_t kBytes = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM;

// The result code of a one-pixel convolution whose bias has the given scale.
int run_with_bias(float scale) {
  OneOperation conv(ANEURALNETWORKS_CONV_2D);
  conv.input(Type(kBytes, {1, 1, 1, 1}, 0.5f, 0));
  conv.constant<uint8_t>(Type(kBytes, {1, 1, 1, 1}, 0.25f, 0), {4});
  conv.constant<int32_t>(Type(ANEURALNETWORKS_TENSOR_INT32, {1}, scale), {8});
  for (const int32_t value : {int32_t{ANEURALNETWORKS_PADDING_VALID}, 1, 1, 0}) conv.constant(value);
  conv.output(Type(kBytes, {1, 1, 1, 1}, 1, 0));
  EXPECT_EQ(conv.add(), kOk);
  EXPECT_EQ(conv.end({0}), kOk);
  const Compilation compilation = finished(open_for_device(conv.model()));
  const Execution execution = execution_of(compilation);
  const uint8_t x = 6;
  uint8_t y = 0;
  EXPECT_EQ(ANeuralNetworksExecution_setInput(execution.get(), 0, nullptr, &x, 1), kOk);
  EXPECT_EQ(ANeuralNetworksExecution_setOutput(execution.get(), 0, nullptr, &y, 1), kOk);
  const int code = ANeuralNetworksExecution_compute(execution.get());
  if (code == kOk) {
    EXPECT_EQ(y, 4);  // 3 * 1 + 8 * 0.125
  }
  return code;
}

TEST(ConvolutionFamily, WantsABiasInUnitsOfTheProduct) {
  EXPECT_EQ(run_with_bias(0.125f), kOk);
  EXPECT_EQ(run_with_bias(0.125001f), kOk) << "a rounding error";
  EXPECT_EQ(run_with_bias(0), kOk) << "none is declared";
  EXPECT_EQ(run_with_bias(0.25f), kFailed);
  EXPECT_EQ(run_with_bias(0.12f), kFailed);
}

}  // namespace
}  // namespace nnapi_tests
