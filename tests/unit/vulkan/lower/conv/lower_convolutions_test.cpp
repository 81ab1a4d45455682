#include "tests/support/lowered_node.h"

#include <limits>

namespace nnrt::test {
namespace {

// Padding zeros would turn them into NaN.
TEST(LowerConvolutions, RefuseConstantWeightsThatAreNotFinite) {
  const auto refusal = [](Op op, float weight) {
    std::vector<float> weights(9 * 4, 1);
    weights[7] = weight;
    return LoweredNode(op)
        .input({1, 5, 5, 4})
        .floats({op == Op::conv2d ? 1 : 4, 3, 3, op == Op::conv2d ? 4 : 1}, weights)
        .input({op == Op::conv2d ? 1 : 4})
        .output({1, 3, 3, op == Op::conv2d ? 1 : 4})
        .refusal();
  };
  for (const Op op : {Op::conv2d, Op::depthwise_conv2d_native}) {
    EXPECT_FALSE(refusal(op, 1e30f));
    for (const float weight :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      EXPECT_EQ(refusal(op, weight),
                "Weights are infinite or NaN; only the CPU keeps them separate from the padding.");
  }
}

}  // namespace
}  // namespace nnrt::test
