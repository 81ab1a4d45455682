// Faults of one of two GPUs, if the environment has two.
#include "tests/faults/fault_scenario.h"
#include "tests/support/fault_layer/fault_layer.h"

#include <algorithm>

namespace nnrt::test {
namespace {

bool all_succeed(const std::vector<Step>& steps) {
  return std::ranges::all_of(steps, [](const Step& step) { return step.code == OH_NN_SUCCESS; });
}

TEST(TwoDevices, SurviveLossOfTheOther) {
  const std::vector<size_t> gpus = devices_of(OH_NN_GPU);
  ASSERT_EQ(gpus.size(), 2u);
  for (const auto& [lost, other] : {std::pair(gpus[0], gpus[1]), std::pair(gpus[1], gpus[0])}) {
    const PlainRun on_lost(lost), on_other(other);
    ASSERT_EQ(on_lost(), OH_NN_SUCCESS);
    ASSERT_EQ(on_other(), OH_NN_SUCCESS);
    fault::reset();
    fault::fail_call(0, VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(on_lost(), OH_NN_UNAVAILABLE_DEVICE);
    fault::reset();
    EXPECT_EQ(on_other(), OH_NN_SUCCESS);
    EXPECT_TRUE(all_succeed(play(other)));
    EXPECT_TRUE(all_succeed(play(lost)));
    EXPECT_EQ(on_lost(), OH_NN_UNAVAILABLE_DEVICE);
    EXPECT_EQ(on_other(), OH_NN_SUCCESS);
  }
}

}  // namespace
}  // namespace nnrt::test
