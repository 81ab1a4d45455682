// Strips get smaller if cores would idle otherwise.
#include "backends/vulkan/lower/conv/output_strips.h"

#include <gtest/gtest.h>

namespace nnrt::test {
namespace {

using vulkan::OutputStrip;
using vulkan::StripWork;

OutputStrip strip(const StripWork& outputs, vulkan::DevicePlan plan) {
  auto chosen = vulkan::output_strip_for(outputs, plan, nullptr);
  EXPECT_TRUE(chosen.ok());
  return chosen.ok() ? chosen.value() : OutputStrip();
}

vulkan::DevicePlan large_gpu() {
  vulkan::DevicePlan plan;
  plan.cores = 132;
  return plan;
}

TEST(OutputStrips, GetShorterWhereCoresWouldIdle) {
  const auto pixels = [](uint32_t images, uint32_t side, uint32_t channels) {
    return strip({images, {side, side}, channels / 4}, large_gpu()).pixels;
  };
  EXPECT_EQ(pixels(1, 7, 960), 1u);
  EXPECT_EQ(pixels(1, 14, 512), 1u);
  EXPECT_EQ(pixels(1, 28, 192), 2u);
  EXPECT_EQ(pixels(1, 56, 144), 4u);
  EXPECT_EQ(pixels(1, 112, 64), 4u);
}

TEST(OutputStrips, AreTallOnlyIfCoresStayBusy) {
  for (const uint32_t images : {1, 2}) {
    const OutputStrip short_one = strip({images, {112, 112}, 16}, large_gpu());
    EXPECT_TRUE(short_one.one_row);
    EXPECT_EQ(short_one.rows, 1u);
  }
  const OutputStrip tall = strip({8, {112, 112}, 16}, large_gpu());
  EXPECT_FALSE(tall.one_row);
  EXPECT_EQ(tall.pixels, 4u);
  EXPECT_EQ(tall.rows, 7u);
}

TEST(OutputStrips, DoNotSpillRegisters) {
  vulkan::DevicePlan plan = large_gpu();
  StripWork work{8, {112, 112}, 16};
  work.registers_of_tall = 240;
  EXPECT_FALSE(strip(work, plan).one_row);
  plan.max_registers = 128;
  EXPECT_TRUE(strip(work, plan).one_row);
}

TEST(OutputStrips, AreAlwaysTallOnSoftwareDrivers) {
  vulkan::DevicePlan plan;
  plan.is_software = true;
  const OutputStrip tall = strip({1, {7, 7}, 1, 7}, plan);
  EXPECT_FALSE(tall.one_row);
  EXPECT_EQ(tall.pixels, 7u);
  EXPECT_EQ(tall.rows, 4u);
}

TEST(OutputStrips, ObeyTheSwitch) {
  vulkan::DevicePlan plan = large_gpu();
  plan.is_software = true;
  plan.kernels.force("strip_of_2");
  EXPECT_EQ(strip({1, {7, 7}, 1}, plan).pixels, 2u);
  vulkan::DevicePlan none;
  for (const auto name : vulkan::output_strip_names()) none.kernels.forbid(name);
  EXPECT_EQ(vulkan::output_strip_for({1, {7, 7}, 1}, none, nullptr).error().code, Code::unsupported);
}

TEST(OutputStrips, CountBeyond32Bits) { EXPECT_FALSE(strip({65536, {65536, 4}, 4}, large_gpu()).one_row); }

}  // namespace
}  // namespace nnrt::test
