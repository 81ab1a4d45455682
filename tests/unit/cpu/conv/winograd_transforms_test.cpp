// The vectorized transform of Winograd kernels has the bits of the scalar formula, at every vector length.
#include "backends/cpu/conv/winograd_transforms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace nnrt::cpu {
namespace {

using Points = std::array<float, kTilePoints>;

std::array<float, kTileIn> points_of(float a, float b, float c) {
  const float even = a + c, outer = a + 4 * c;
  return {a / 4, -(even + b) / 6, -(even - b) / 6, (outer + 2 * b) / 24, (outer - 2 * b) / 24, c};
}

Points points_of_kernel(const std::array<float, kKernelTaps>& taps) {
  std::array<std::array<float, 3>, kTileIn> rows{};
  for (size_t x = 0; x < 3; ++x) {
    const auto column = points_of(taps[x], taps[3 + x], taps[6 + x]);
    for (size_t y = 0; y < kTileIn; ++y) rows[y][x] = column[y];
  }
  Points points{};
  for (size_t y = 0; y < kTileIn; ++y)
    std::ranges::copy(points_of(rows[y][0], rows[y][1], rows[y][2]), points.begin() + int(y) * kTileIn);
  return points;
}

struct Kernels {
  int64_t count, in;
  bool is_full;  // both vectors of the panel are used
};

class WinogradKernelTransform : public testing::TestWithParam<Kernels> {};

TEST_P(WinogradKernelTransform, HasTheBitsOfTheFormula) {
  const int64_t in = GetParam().in;
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    SCOPED_TRACE(bytes);
    const int64_t lanes = (GetParam().is_full ? 2 : 1) * bytes / int64_t(sizeof(float));
    const int64_t count = std::min(GetParam().count, lanes), step = in * lanes;
    std::vector<float> weights(size_t(count * kKernelTaps * in));
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(float(i) * 1.7f) * 0.3f;
    std::vector<float> got(size_t(kTilePoints * step), NAN);
    transform_kernels(bytes, {weights.data(), count, in}, lanes, got.data(), step);
    std::vector<float> taps_last(weights.size()), same(got.size(), NAN);
    for (size_t i = 0; i < weights.size(); ++i) {
      const size_t kernel = i / size_t(kKernelTaps * in), tap = i / size_t(in) % kKernelTaps;
      taps_last[(kernel * size_t(in) + i % size_t(in)) * kKernelTaps + tap] = weights[i];
    }
    transform_kernels(bytes, {taps_last.data(), count, in, true}, lanes, same.data(), step);
    EXPECT_EQ(same, got);
    for (int64_t c = 0; c < in; ++c) {
      for (int64_t o = 0; o < lanes; ++o) {
        std::array<float, kKernelTaps> taps{};
        for (size_t tap = 0; tap < taps.size() && o < count; ++tap)
          taps[tap] = weights[size_t((o * kKernelTaps + int64_t(tap)) * in + c)];
        const Points want = points_of_kernel(taps);
        for (int64_t p = 0; p < kTilePoints; ++p)
          ASSERT_EQ(got[size_t(p * step + c * lanes + o)], want[size_t(p)]) << p << ' ' << c << ' ' << o;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, WinogradKernelTransform,
                         testing::Values(Kernels{32, 16, true}, Kernels{16, 16, false}, Kernels{29, 33, true},
                                         Kernels{5, 19, false}, Kernels{1, 16, false},
                                         Kernels{17, 47, true}));

}  // namespace
}  // namespace nnrt::cpu
