#include "tests/unit/nnapi/single_operation.h"

#include <limits>

namespace nnapi_tests {
namespace {

// One step of a cell with one unit, all weights 1.
Computed step_of(float cell_clip, float projection_clip) {
  OneOperation lstm(ANEURALNETWORKS_LSTM);
  const Type none = floats({0});
  lstm.input(floats({1, 1}));
  for (int i = 0; i < 8; ++i) lstm.constant<float>(floats({1, 1}), {1});
  for (int i = 0; i < 3; ++i) lstm.omitted(none);  // peepholes
  for (int i = 0; i < 4; ++i) lstm.constant<float>(floats({1}), {0});
  for (int i = 0; i < 2; ++i) lstm.omitted(none);  // projection
  for (int i = 0; i < 2; ++i) lstm.constant<float>(floats({1, 1}), {5});
  lstm.constant(4);  // tanh
  for (const float clip : {cell_clip, projection_clip})
    lstm.constant<float>(Type(ANEURALNETWORKS_FLOAT32), {clip});
  for (int i = 0; i < 4; ++i) lstm.output(floats({}));
  EXPECT_EQ(lstm.add(), kOk);
  EXPECT_EQ(lstm.end({0}), kOk);
  return compute_floats(lstm.model(), {{1}}, 4);
}

TEST(RecurrentFamily, TakesClipsFromZeroOn) {
  for (const float clip : {0.0f, 0.5f}) EXPECT_EQ(step_of(clip, clip).code, kOk);
}

TEST(RecurrentFamily, RefusesClipsBelowZero) {
  for (const float clip : {-1.0f, -1e-30f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_EQ(step_of(clip, 0).code, kFailed) << clip;
    EXPECT_EQ(step_of(0, clip).code, kFailed) << clip;
  }
}

}  // namespace
}  // namespace nnapi_tests
