#include "tools/nnrt/quantize/rounding_error.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

using import::Network;
using import::Operation;
using import::Tensor;
using import::TensorId;

Tensor floats() {
  Tensor tensor;
  tensor.type = OH_NN_FLOAT32;
  tensor.shape = {4};
  return tensor;
}

Tensor codes(double scale) {
  Tensor tensor = floats();
  tensor.type = OH_NN_INT8;
  tensor.quantization = {{scale}, {0}};
  return tensor;
}

Operation operation(Op type, std::vector<TensorId> inputs, TensorId output) {
  Operation made;
  made.type = type;
  made.inputs = std::move(inputs);
  made.outputs = {output};
  return made;
}

// 0 floats -> 1 quantized -> 2 quantized -> 3 floats -> SOFTMAX 4, ADD 5
Network network() {
  Network network;
  network.tensors = {floats(), codes(0.5), codes(0.25), floats(), floats(), floats()};
  network.operations = {operation(Op::quant_dtype_cast, {0}, 1), operation(Op::add, {1, 1}, 2),
                        operation(Op::quant_dtype_cast, {2}, 3), operation(Op::softmax, {3}, 4),
                        operation(Op::add, {3, 0}, 5)};
  network.inputs = {0};
  network.outputs = {0, 2, 4, 5};
  return network;
}

TEST(RoundingErrors, KeepTheStepOfTheLastQuantizedLayer) {
  const std::vector<RoundingError> errors = rounding_errors(network());
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_FALSE(errors[0].is_quantized);  // floats from the client
  EXPECT_TRUE(errors[1].is_quantized);
  EXPECT_EQ(errors[1].step, 0.25);
  EXPECT_TRUE(errors[2].is_quantized);  // behind DequantizeLinear
  EXPECT_EQ(errors[2].step, 0.25);
  EXPECT_TRUE(errors[3].is_quantized);
  EXPECT_EQ(errors[3].step, 0);  // ADD of floats may amplify
}

TEST(RoundingErrors, AreTwoCodes) {
  EXPECT_EQ((RoundingError{false, 0}.codes()), 0);
  EXPECT_EQ((RoundingError{true, 0}.codes()), 2);
}

}  // namespace
}  // namespace nnrt::tool
