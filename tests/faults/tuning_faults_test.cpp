// Faults while optimized shaders are compiled in the background, which starts after some hundred runs with
// NNRT_VULKAN_SHADERS=deferred:20.
#include "tests/faults/fault_scenario.h"
#include "tests/support/fault_layer/fault_layer.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace nnrt::test {
namespace {

using namespace std::chrono_literals;

void expect_runs(const PlainRun& run, OH_NN_ReturnCode code) {
  for (int i = 0; i < 40; ++i) EXPECT_EQ(run(), code);
}

// The next compilation reopens the device, without the optimized shaders of earlier models.
void lose_device(size_t gpu) {
  const PlainRun run(gpu);
  fault::lose_devices();
  EXPECT_EQ(run(), OH_NN_UNAVAILABLE_DEVICE);
  fault::reset();
}

bool was_called(const char* name) {
  const std::vector<std::string> calls = fault::calls();
  return std::ranges::find(calls, name) != calls.end();
}

// Live objects of models. Shaders and their layouts belong to the device.
std::map<std::string, int64_t> live_of_models() {
  std::map<std::string, int64_t> live = fault::live();
  EXPECT_EQ(live["Device"], 1);
  EXPECT_EQ(live["PipelineCache"], live["Device"]);
  for (const char* kind : {"DescriptorSetLayout", "PipelineLayout", "Pipeline", "Device", "PipelineCache"})
    live.erase(kind);
  return live;
}

class Tuning : public testing::TestWithParam<const char*> {};

TEST_P(Tuning, FailureDoesNotAffectRuns) {
  const size_t gpu = device_of(OH_NN_GPU);
  lose_device(gpu);
  { const PlainRun open(gpu); }
  const auto before = live_of_models();
  {
    const PlainRun run(gpu);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(), OH_NN_SUCCESS);  // until runs have all they need
    fault::reset();
    fault::fail_every(GetParam(), VK_ERROR_OUT_OF_HOST_MEMORY);
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (!was_called(GetParam()) && std::chrono::steady_clock::now() < end) EXPECT_EQ(run(), OH_NN_SUCCESS);
    EXPECT_TRUE(was_called(GetParam())) << "Nothing was tuned.";
    expect_runs(run, OH_NN_SUCCESS);
    fault::reset();
    expect_runs(run, OH_NN_SUCCESS);
  }
  EXPECT_EQ(live_of_models(), before);
}

INSTANTIATE_TEST_SUITE_P(Of, Tuning,
                         testing::Values("vkCreateComputePipelines", "vkCreateShaderModule",
                                         "vkAllocateMemory", "vkCreateDescriptorPool"));

TEST(TuningOfALostDevice, EndsAsItsRunsDo) {
  const size_t gpu = device_of(OH_NN_GPU);
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
