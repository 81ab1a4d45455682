// Estimates rank first what was fastest in measurements on an H100, and are close to the measured times.
#include "backends/vulkan/lower/gemm/tile_estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace nnrt::test {
namespace {

struct Option {
  uint32_t tile_rows, tile_columns, splits;
  double tflops;  // measured, without the split-K reduction
};
struct Product {
  bool is_fp16;
  uint32_t rows, columns, inner;
  std::vector<Option> options;  // fastest first
};

const Product kMeasured[] = {
    {false,
     1024,
     1024,
     1024,
     {{64, 64, 1, 30.3}, {32, 32, 1, 23.3}, {64, 128, 1, 20.6}, {128, 128, 1, 14.2}}},
    // 64x64 has 35.3: as fast, but it reads twice as much.
    {false, 4096, 4096, 4096, {{128, 128, 1, 34.3}, {64, 128, 1, 31.4}, {32, 32, 1, 26.1}}},
    {false, 512, 512, 512, {{32, 32, 1, 11.5}, {64, 64, 1, 9.1}, {64, 128, 1, 4.85}, {128, 128, 1, 3.4}}},
    {false, 128, 768, 768, {{32, 32, 1, 4.97}, {64, 64, 1, 3.65}, {64, 128, 1, 1.89}, {128, 128, 1, 1.31}}},
    {false, 128, 768, 3072, {{32, 32, 1, 5.79}, {64, 64, 1, 4.16}, {64, 128, 1, 2.03}, {128, 128, 1, 1.37}}},
    {false, 64, 512, 4608, {{32, 32, 1, 1.98}, {64, 64, 1, 1.41}, {64, 128, 1, 0.683}}},
    {false, 197, 2304, 768, {{32, 32, 1, 16.1}, {64, 64, 1, 12.6}, {64, 128, 1, 8.76}, {128, 128, 1, 6.04}}},
    {true, 4096, 4096, 4096, {{128, 128, 1, 260}, {64, 64, 1, 181}, {32, 32, 1, 105}}},
    {true, 1024, 1024, 1024, {{64, 64, 1, 122}, {128, 128, 1, 92}, {32, 32, 1, 85}}},
    {true, 512, 512, 512, {{32, 32, 1, 43}, {64, 64, 1, 38}, {128, 128, 1, 19}}},
    {true, 128, 3072, 768, {{64, 64, 1, 66}, {32, 32, 1, 63}, {128, 128, 1, 30}}},
    {true, 128, 768, 3072, {{64, 64, 4, 65}, {32, 32, 8, 53}, {32, 32, 1, 34}, {64, 64, 1, 27}}},
    {true, 64, 512, 4608, {{32, 32, 8, 48}, {64, 64, 4, 27}, {32, 32, 1, 12}, {64, 64, 1, 9.5}}},
    {true, 192, 256, 2304, {{32, 32, 4, 36}, {64, 64, 4, 30}, {32, 32, 1, 17}, {64, 64, 1, 13}}},
};

double estimate(const Product& product, const Option& option, uint32_t cores = 132) {
  const auto across = [](uint32_t n, uint32_t tile) { return uint64_t{(n + tile - 1) / tile}; };
  const uint64_t tiles =
      across(product.rows, option.tile_rows) * across(product.columns, option.tile_columns);
  return vulkan::estimated_us({product.is_fp16, product.is_fp16 ? 64u : 16u, option.tile_rows,
                               option.tile_columns, tiles, option.splits, product.inner / option.splits,
                               uint64_t{product.rows} * product.columns, cores});
}

TEST(TileEstimates, RankFastestFirst) {
  for (const Product& product : kMeasured) {
    SCOPED_TRACE(testing::Message() << product.rows << " x " << product.columns << " x " << product.inner);
    const double fastest = estimate(product, product.options[0]);
    for (size_t i = 1; i < product.options.size(); ++i)
      EXPECT_LT(fastest, estimate(product, product.options[i])) << i;
  }
}

// A dispatch alone takes 3.5 us; the split-K reduction was not measured.
TEST(TileEstimates, AreWithinAQuarterOfMeasurements) {
  for (const Product& product : kMeasured) {
    for (const Option& option : product.options) {
      if (option.splits != 1) continue;
      const double flops = 2.0 * product.rows * product.columns * product.inner;
      const double measured = flops / (option.tflops * 1e6);
      EXPECT_NEAR((estimate(product, option) + 3.5) / measured, 1, 0.25)
          << product.rows << " x " << product.columns << " x " << product.inner << " by " << option.tile_rows;
    }
  }
}

TEST(TileEstimates, CountSplitKReduction) {
  const Product product{false, 49, 160, 960, {}};
  EXPECT_LT(estimate(product, {32, 32, 8, 0}), estimate(product, {32, 32, 1, 0}) / 2);
  const Product short_one{true, 49, 32, 832, {}};
  EXPECT_GT(estimate(short_one, {32, 32, 4, 0}), estimate(short_one, {32, 32, 1, 0}));
}

}  // namespace
}  // namespace nnrt::test
