#include "tests/unit/nnapi/single_operation.h"

namespace nnapi_tests {
namespace {

using Dimensions = std::vector<uint32_t>;

Computed mean_of_rows(int32_t keep) {
  OneOperation mean(ANEURALNETWORKS_MEAN);
  mean.input(floats({2, 3}));
  mean.constant<int32_t>(Type(ANEURALNETWORKS_TENSOR_INT32, {1}), {1});
  mean.constant(keep);
  mean.output(floats({}));
  EXPECT_EQ(mean.add(), kOk);
  EXPECT_EQ(mean.end({0}), kOk);
  return compute_floats(mean.model(), {{1, 2, 3, 4, 5, 6}});
}

TEST(ReductionFamily, MeanKeepsDimensions) {
  for (const int32_t keep : {-5, -1, 0, 1, 2, INT32_MIN, INT32_MAX}) {
    const Computed computed = mean_of_rows(keep);
    EXPECT_EQ(computed.dimensions, keep > 0 ? Dimensions({2, 1}) : Dimensions({2})) << keep;
    EXPECT_EQ(computed.values, std::vector<float>({2, 5})) << keep;
  }
}

TEST(ReductionFamily, OthersKeepDimensionsByABool) {
  for (const bool keep : {false, true}) {
    OneOperation sum(ANEURALNETWORKS_REDUCE_SUM);
    sum.input(floats({2, 3}));
    sum.constant<int32_t>(Type(ANEURALNETWORKS_TENSOR_INT32, {1}), {1});
    sum.constant<uint8_t>(Type(ANEURALNETWORKS_BOOL), {uint8_t{keep}});
    sum.output(floats({}));
    EXPECT_EQ(sum.add(), kOk);
    EXPECT_EQ(sum.end({0}), kOk);
    const Computed computed = compute_floats(sum.model(), {{1, 2, 3, 4, 5, 6}});
    EXPECT_EQ(computed.dimensions, keep ? Dimensions({2, 1}) : Dimensions({2}));
    EXPECT_EQ(computed.values, std::vector<float>({6, 15}));
  }
}

}  // namespace
}  // namespace nnapi_tests
