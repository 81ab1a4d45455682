// Faults during device enumeration, each in its own process.
#include "tests/faults/fault_scenario.h"
#include "tests/support/fault_layer/fault_layer.h"

#include <algorithm>

namespace nnrt::test {
namespace {

// In a process that has not enumerated devices yet: returns an exit code that says whether the CPU still
// works.
int list_devices_with_fault(size_t position, VkResult result) {
  fault::reset();
  fault::fail_call(position, result);
  const bool works = std::ranges::all_of(play(device_of(OH_NN_CPU)),
                                         [](const Step& step) { return step.code == OH_NN_SUCCESS; });
  return works && fault::calls().size() > position ? 0 : 1;
}

class Start : public testing::TestWithParam<VkResult> {};

TEST_P(Start, WithAFaultLeavesTheCpu) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const size_t position : {0u, 1u, 2u}) {
    EXPECT_EXIT(_Exit(list_devices_with_fault(position, GetParam())), testing::ExitedWithCode(0), "")
        << "at call " << position;
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, Start,
                         testing::Values(VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY));

}  // namespace
}  // namespace nnrt::test
