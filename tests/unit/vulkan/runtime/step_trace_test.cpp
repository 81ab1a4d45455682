#include "backends/vulkan/runtime/step_trace.h"

#include <gtest/gtest.h>

namespace nnrt::vulkan {
namespace {

using std::chrono::nanoseconds;

trace::Time at(int64_t moment) { return trace::Time(nanoseconds(moment)); }

std::vector<int64_t> on_host(std::vector<uint64_t> ticks, TimestampClock clock,
                             std::optional<Calibration> calibration, int64_t submitted, int64_t done) {
  std::vector<int64_t> moments;
  for (const trace::Time time : on_host_clock(ticks, clock, calibration, at(submitted), at(done))) {
    moments.push_back(nanoseconds(time.time_since_epoch()).count());
  }
  return moments;
}

using Moments = std::vector<int64_t>;

TEST(StepTrace, EndsAtWaitIfUncalibrated) {
  EXPECT_EQ(on_host({100, 110, 140}, {64, 1, false}, {}, 5000, 6000), (Moments{5960, 5970, 6000}));
}

TEST(StepTrace, TakesTheLengthOfATick) {
  EXPECT_EQ(on_host({100, 110, 140}, {64, 2.5, false}, {}, 5000, 6000), (Moments{5900, 5925, 6000}));
}

TEST(StepTrace, UsesCalibration) {
  EXPECT_EQ(on_host({100, 110, 140}, {64, 1, true}, Calibration{300, at(6010)}, 5000, 6000),
            (Moments{5810, 5820, 5850}));
}

TEST(StepTrace, IsNeverOutsideOfTheRun) {
  EXPECT_EQ(on_host({100, 140}, {64, 1, true}, Calibration{300, at(6900)}, 5000, 6000),
            (Moments{5960, 6000}));
  EXPECT_EQ(on_host({100, 140}, {64, 1, true}, Calibration{300, at(100)}, 5000, 6000), (Moments{5000, 5040}));
}

TEST(StepTrace, HandlesCounterWraparound) {
  EXPECT_EQ(on_host({0xFFF0, 0x0000, 0x0010}, {16, 1, true}, Calibration{0x0020, at(6000)}, 5000, 6000),
            (Moments{5952, 5968, 5984}));
}

TEST(StepTrace, NeverGoesBackInTime) {
  EXPECT_EQ(on_host({100, 90, 120}, {64, 1, false}, {}, 5000, 6000), (Moments{5970, 5970, 6000}));
}

}  // namespace
}  // namespace nnrt::vulkan
