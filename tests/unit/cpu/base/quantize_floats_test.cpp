#include "backends/cpu/base/quantize_floats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace nnrt::cpu {
namespace {

template <typename Code>
void expect_exact(const std::vector<float>& values, Affine affine) {
  std::vector<Code> quantized(values.size() + 1, Code(77));
  quantize_floats(values.data(), quantized.data(), int64_t(values.size()), affine);
  for (size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(int(quantized[i]), int(quantize_float<Code>(values[i], affine)))
        << values[i] << " at " << i << " of " << values.size() << ", scale " << affine.scale
        << ", zero point " << affine.zero_point;
  }
  EXPECT_EQ(quantized.back(), Code(77)) << "written beyond the end";
}

void expect_exact(const std::vector<float>& values, Affine affine) {
  for (const bool ties_to_even : {false, true}) {
    affine.ties_to_even = ties_to_even;
    expect_exact<int8_t>(values, affine);
    expect_exact<uint8_t>(values, affine);
  }
}

// Values across the quantized range and beyond.
std::vector<float> drawn(size_t count, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> steps(-400, 400);
  std::vector<float> values(count);
  for (float& value : values) value = float(steps(random) * scale);
  return values;
}

TEST(QuantizeFloats, RoundsAsTheExactRule) {
  const Affine affines[] = {{1.0, 0},       {0.0078431, 3},   {0.1, -128},
                            {1.0 / 3, 127}, {12345.678, 255}, {2e-9, -7}};
  for (const Affine& affine : affines) expect_exact(drawn(100000, affine.scale, 1), affine);
}

TEST(QuantizeFloats, OfAnyNumberOfElements) {
  for (size_t count = 0; count < 300; ++count) expect_exact(drawn(count, 0.05, unsigned(count)), {0.05, 5});
}

TEST(QuantizeFloats, RoundsTiesAndTheirNeighbours) {
  constexpr float kFar = std::numeric_limits<float>::infinity();
  for (const double scale : {1.0, 0.25, 0.1, 0.0078431, 3.7e5}) {
    std::vector<float> values;
    for (int step = -600; step <= 600; ++step) {
      const auto tie = float(step * 0.5 * scale);
      for (const float value : {tie, std::nextafter(tie, kFar), std::nextafter(tie, -kFar)})
        values.push_back(value);
    }
    for (const int zero_point : {0, -128, 37, 200}) expect_exact(values, {scale, zero_point});
  }
}

TEST(QuantizeFloats, HandlesNanAndOverflow) {
  using Limits = std::numeric_limits<float>;
  const std::vector<float> odd{Limits::quiet_NaN(),
                               -Limits::quiet_NaN(),
                               Limits::infinity(),
                               -Limits::infinity(),
                               Limits::max(),
                               Limits::lowest(),
                               Limits::min(),
                               Limits::denorm_min(),
                               0.0f,
                               -0.0f,
                               3e9f,
                               -3e9f};
  std::vector<float> values;
  for (int i = 0; i < 40; ++i) values.insert(values.end(), odd.begin(), odd.end());
  for (const double scale : {1.0, 0.01, 1e-20, 1e-38, 1e-45, 1e-300, 1e20, 1e38, 1e300})
    for (const int zero_point : {0, -5, 300, 5000, -100000}) expect_exact(values, {scale, zero_point});
}

}  // namespace
}  // namespace nnrt::cpu
