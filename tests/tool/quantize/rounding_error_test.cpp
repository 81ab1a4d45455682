#include "tools/nnrt/quantize/rounding_error.h"

#include <gtest/gtest.h>

namespace nnrt::tool {
namespace {

import::Tensor floats(){return {.type = OH_NN_FLOAT32, .shape = {4}};
}
import::Tensor codes(double scale){return {.type = OH_NN_INT8, .shape = {4}, .quantization = {{scale}, {0}}};
}  // namespace nnrt::tool

// 0 floats -> 1 quantized -> 2 quantized -> 3 floats -> SOFTMAX 4, ADD 5
import::Network network(){import::Network network;
network.tensors = {floats(), codes(0.5), codes(0.25), floats(), floats(), floats()};
network.operations = {{.type = OH_NN_OPS_QUANT_DTYPE_CAST, .inputs = {0}, .outputs = {1}},
                      {.type = OH_NN_OPS_ADD, .inputs = {1, 1}, .outputs = {2}},
                      {.type = OH_NN_OPS_QUANT_DTYPE_CAST, .inputs = {2}, .outputs = {3}},
                      {.type = OH_NN_OPS_SOFTMAX, .inputs = {3}, .outputs = {4}},
                      {.type = OH_NN_OPS_ADD, .inputs = {3, 0}, .outputs = {5}}};
network.inputs = {0};
network.outputs = {0, 2, 4, 5};
return network;
}

TEST(RoundingErrors, CountQuantizedLayersAndKeepTheStepOfTheLast) {
  const std::vector<RoundingError> errors = rounding_errors(network());
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_EQ(errors[0].layers, 0u);  // floats from the client
  EXPECT_EQ(errors[1].layers, 2u);
  EXPECT_EQ(errors[1].step, 0.25);
  EXPECT_EQ(errors[2].layers, 2u);  // behind DequantizeLinear
  EXPECT_EQ(errors[2].step, 0.25);
  EXPECT_EQ(errors[3].layers, 2u);
  EXPECT_EQ(errors[3].step, 0);  // ADD of floats may amplify
}

TEST(RoundingErrors, GrowWithDepth) {
  EXPECT_EQ((RoundingError{.layers = 1}.codes()), 2);
  EXPECT_EQ((RoundingError{.layers = 64}.codes()), 6);
}

}  // namespace
}  // namespace nnrt::tool
