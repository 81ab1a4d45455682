#include "tests/unit/nnapi/single_operation.h"

namespace nnapi_tests {
namespace {

// Two steps of one batch; a unit that adds its input to its state.
Computed sums_of(int32_t time_major, const std::vector<uint32_t>& dimensions) {
  OneOperation rnn(ANEURALNETWORKS_UNIDIRECTIONAL_SEQUENCE_RNN);
  rnn.input(floats(dimensions));
  for (const float weight : {1.0f, 1.0f}) rnn.constant<float>(floats({1, 1}), {weight});
  rnn.constant<float>(floats({1}), {0});
  rnn.constant<float>(floats({1, 1}), {10});
  rnn.constant(ANEURALNETWORKS_FUSED_NONE);
  rnn.constant(time_major);
  rnn.output(floats({}));
  EXPECT_EQ(rnn.add(), kOk);
  EXPECT_EQ(rnn.end({0}), kOk);
  return compute_floats(rnn.model(), {{1, 2}});
}

TEST(RnnFamily, TakesTimeMajorAsOneOrZero) {
  EXPECT_EQ(sums_of(1, {2, 1, 1}).values, std::vector<float>({11, 13}));
  EXPECT_EQ(sums_of(0, {1, 2, 1}).values, std::vector<float>({11, 13}));
}

TEST(RnnFamily, RefusesAnotherTimeMajor) {
  for (const int32_t other : {-1, 2, INT32_MIN}) EXPECT_EQ(sums_of(other, {2, 1, 1}).code, kFailed) << other;
}

}  // namespace
}  // namespace nnapi_tests
