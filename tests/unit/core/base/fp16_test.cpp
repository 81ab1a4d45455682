#include "core/base/fp16.h"

#include <gtest/gtest.h>

#include <limits>

namespace nnrt {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(Half, WidensEveryBitPatternAndNarrowsItBack) {
  for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
    const Half half{uint16_t(bits)};
    const float wide = to_float(half);
    if ((bits & 0x7fffu) > 0x7c00u) {
      EXPECT_TRUE(std::isnan(wide));
      EXPECT_TRUE(std::isnan(to_float(to_half(wide))));
    } else {
      EXPECT_EQ(to_half(wide).bits, bits);
    }
  }
}

TEST(Half, WidensLandmarks) {
  EXPECT_EQ(to_float(Half{0x3c00}), 1.0f);
  EXPECT_EQ(to_float(Half{0xc500}), -5.0f);
  EXPECT_EQ(to_float(Half{0x0001}), 0x1p-24f);
  EXPECT_EQ(to_float(Half{0x7bff}), 65504.0f);
  EXPECT_EQ(to_float(Half{0xfc00}), -kInfinity);
}

TEST(Half, RoundsTiesToEven) {
  EXPECT_EQ(to_half(1.0f + 0x1p-11f).bits, 0x3c00);
  EXPECT_EQ(to_half(1.0f + 3 * 0x1p-11f).bits, 0x3c02);
  EXPECT_EQ(to_half(0x1p-25f).bits, 0x0000);
  EXPECT_EQ(to_half(3 * 0x1p-25f).bits, 0x0002);
}

TEST(Half, OverflowsToInfinityFromTheMidpointOn) {
  EXPECT_EQ(to_half(65519.996f).bits, 0x7bff);
  EXPECT_EQ(to_half(65520.0f).bits, 0x7c00);
  EXPECT_EQ(to_half(-kInfinity).bits, 0xfc00);
}

TEST(Half, RoundsADoubleOnce) {
  // Via float this would first round to the tie 1 + 2^-11.
  EXPECT_EQ(to_half(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  EXPECT_EQ(to_half(1.0 + 0x1p-11 - 0x1p-40).bits, 0x3c00);
  EXPECT_EQ(to_half(1.0 + 3 * 0x1p-11 - 0x1p-40).bits, 0x3c01);
}

TEST(Half, NarrowsDoublesBeyondFloat) {
  EXPECT_EQ(to_half(1e300).bits, 0x7c00);
  EXPECT_EQ(to_half(-1e-300).bits, 0x8000);
  EXPECT_TRUE(std::isnan(to_float(to_half(std::numeric_limits<double>::quiet_NaN()))));
}

}  // namespace
}  // namespace nnrt
