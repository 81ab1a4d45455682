// Calls that fail while tuned shaders are made beside runs, which begin at once: NNRT_VULKAN_SHADERS=later:0.
#include "tests/faults/scenario.h"
#include "tests/support/fault_layer/fault_layer.h"

#include <chrono>
#include <thread>

namespace nnrt::test {
namespace {

// Long enough for the background to have tried.
void expect_runs(const PlainRun& run, OH_NN_ReturnCode code) {
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(run(), code);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

class Tuning : public testing::TestWithParam<const char*> {};

TEST_P(Tuning, ThatFailsLeavesRunsAsTheyAre) {
  const size_t gpu = devices_of(OH_NN_GPU).front();
  fault::reset();
  const auto kept = [&] {
    { const PlainRun open(gpu); }
    return fault::live();
  };
  const auto before = kept();
  {
    const PlainRun run(gpu);
    fault::fail_every(GetParam(), VK_ERROR_OUT_OF_HOST_MEMORY);
    // What a run itself needs may fail as well; then the CPU does it.
    expect_runs(run, OH_NN_SUCCESS);
    fault::reset();
    expect_runs(run, OH_NN_SUCCESS);
  }
  EXPECT_EQ(kept(), before);
}

INSTANTIATE_TEST_SUITE_P(Of, Tuning,
                         testing::Values("vkCreateComputePipelines", "vkCreateShaderModule",
                                         "vkAllocateMemory", "vkCreateDescriptorPool"));

TEST(TuningOfALostDevice, EndsAsItsRunsDo) {
  const size_t gpu = devices_of(OH_NN_GPU).front();
  fault::reset();
  const PlainRun run(gpu);
  EXPECT_EQ(run(), OH_NN_SUCCESS);
  fault::lose_devices();
  expect_runs(run, OH_NN_UNAVAILABLE_DEVICE);
  fault::reset();
  EXPECT_EQ(PlainRun(gpu)(), OH_NN_SUCCESS);
}

}  // namespace
}  // namespace nnrt::test
