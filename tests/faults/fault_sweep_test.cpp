// Makes the Vulkan calls of the scenario fail, one at a time, in every way. By default each function fails
// once; with NNRT_TEST_FAULTS=all, each call.
#include "tests/faults/fault_scenario.h"
#include "tests/support/fault_layer/fault_layer.h"
#include "tests/support/test_settings.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>

namespace nnrt::test {
namespace {

// The calls to fail: the first of each name while a device is opened, the last one while it is in use.
std::vector<size_t> positions(const std::vector<std::string>& calls, bool first) {
  std::map<std::string, size_t> of_name;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < calls.size(); ++i) {
    chosen.push_back(i);
    if (first) {
      of_name.emplace(calls[i], i);
    } else {
      of_name[calls[i]] = i;
    }
  }
  if (!sweeps_all_faults()) std::erase_if(chosen, [&](size_t i) { return of_name[calls[i]] != i; });
  return chosen;
}

bool is_right(const Step& step, const Step& expected) {
  return std::ranges::equal(step.values, expected.values,
                            [](float a, float b) { return std::abs(a - b) <= 1e-4f * (1 + std::abs(b)); });
}

// Kills the process if a test hangs.
class Watchdog {
 public:
  Watchdog() { alarm(60); }
  ~Watchdog() { alarm(0); }
};

class Sweep : public testing::TestWithParam<VkResult> {
 protected:
  // Expects success in every step.
  void expect_success(const std::vector<Step>& steps) const {
    ASSERT_EQ(steps.size(), expected_.size());
    for (const Step& step : steps) EXPECT_EQ(step.code, OH_NN_SUCCESS) << step.name;
    expect_sound(steps);
  }
  // Expects what must hold under any fault.
  void expect_sound(const std::vector<Step>& steps) const {
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(steps[i].wrong_callbacks, "") << steps[i].name;
      if (steps[i].code == OH_NN_SUCCESS) {
        EXPECT_TRUE(is_right(steps[i], expected_[i])) << steps[i].name;
      }
    }
  }
  void expect_allowed(const std::vector<Step>& steps, VkResult fault, bool restoring) const {
    if (fault == VK_ERROR_OUT_OF_DEVICE_MEMORY || fault == VK_ERROR_OUT_OF_HOST_MEMORY || fault == VK_TIMEOUT)
      return expect_success(steps);
    expect_sound(steps);
    const auto unavailable = std::ranges::count(steps, OH_NN_UNAVAILABLE_DEVICE, &Step::code);
    const auto failed = std::ranges::count(steps, OH_NN_FAILED, &Step::code);
    const auto good = std::ranges::count(steps, OH_NN_SUCCESS, &Step::code);
    EXPECT_EQ(unavailable + failed + good, std::ssize(steps));
    if (fault == VK_ERROR_DEVICE_LOST) {
      EXPECT_TRUE(unavailable > 0 || restoring);  // a model that cannot be restored is prepared instead
      EXPECT_EQ(failed, 0);
      // After a loss, every later step reports it; a new compilation may have recovered the device.
      for (const int compilation : {0, 1}) {
        bool is_lost = false;
        for (const Step& step : steps) {
          if (step.compilation != compilation || step.name == "export") continue;
          EXPECT_FALSE(is_lost && step.code == OH_NN_SUCCESS) << step.name;
          is_lost = is_lost || step.code == OH_NN_UNAVAILABLE_DEVICE;
        }
      }
    }
  }

  // Makes the next play open the VkDevice again.
  void make_cold() const {
    fault::reset();
    const PlainRun run(gpu_), restored(gpu_, From::cache);  // may have separate VkDevices
    fault::lose_devices();
    EXPECT_EQ(run(), OH_NN_UNAVAILABLE_DEVICE);
    EXPECT_EQ(restored(), OH_NN_UNAVAILABLE_DEVICE);
  }

  // `prepare` puts the device into the state where the calls are counted.
  template <typename Prepare>
  void sweep(Prepare prepare, bool first) {
    prepare();
    fault::reset();
    const std::vector<Step> clean = play(gpu_);
    expect_success(clean);
    const std::vector<std::string> calls = fault::calls();
    const size_t exporting = std::ranges::find(clean, "export", &Step::name)->first_call;
    const auto retained = fault::live();
    ASSERT_GT(calls.size(), 20u);
    for (const size_t position : positions(calls, first)) {
      if (GetParam() == VK_TIMEOUT && calls[position] != "vkWaitSemaphores") continue;
      SCOPED_TRACE(testing::Message()
                   << "fault (" << GetParam() << ") at call " << position << ", " << calls[position]);
      const Watchdog watchdog;
      prepare();
      fault::reset();
      fault::fail_call(position, GetParam());
      expect_allowed(play(gpu_), GetParam(), position >= exporting);
      EXPECT_GT(fault::calls().size(), position);
      fault::reset();
      expect_success(play(gpu_));
      EXPECT_EQ(fault::live(), retained);
      ++faults_;
      if (HasFailure()) return;
    }
    std::cout << faults_ << " faults in " << calls.size() << " calls" << std::endl;
  }

  const size_t gpu_ = device_of(OH_NN_GPU);
  const std::vector<Step> expected_ = play(device_of(OH_NN_CPU));
  size_t faults_ = 0;
};

TEST_P(Sweep, SurvivesFaultsDuringOpen) {
  make_cold();
  fault::reset();
  play(gpu_);
  const std::vector<std::string> calls = fault::calls();
  EXPECT_GE(std::ranges::count(calls, "vkCreateDevice"), 1);
  sweep([&] { make_cold(); }, true);
}

TEST_P(Sweep, OfADeviceInUseIsSurvived) {
  sweep([&] { play(gpu_); }, false);
}

INSTANTIATE_TEST_SUITE_P(Faults, Sweep,
                         testing::Values(VK_ERROR_DEVICE_LOST, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                         VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_INITIALIZATION_FAILED,
                                         VK_TIMEOUT),
                         [](const auto& suite) {
                           switch (suite.param) {
                             case VK_ERROR_DEVICE_LOST: return "DeviceLost";
                             case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "OutOfDeviceMemory";
                             case VK_ERROR_OUT_OF_HOST_MEMORY: return "OutOfHostMemory";
                             case VK_TIMEOUT: return "Timeout";
                             default: return "InitializationFailed";
                           }
                         });

}  // namespace
}  // namespace nnrt::test
