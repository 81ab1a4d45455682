#include "backends/vulkan/lower/conv/output_strips.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

TEST(OutputStrips, CountBeyond32Bits) {
  vulkan::DevicePlan plan;
  plan.cores = 132;
  const auto strip = vulkan::output_strip_for({65536, {65536, 4}, 4}, plan, nullptr).value();
  EXPECT_FALSE(strip.one_row);
}

}  // namespace
}  // namespace nnrt::test
