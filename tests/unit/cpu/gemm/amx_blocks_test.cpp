#include "backends/cpu/gemm/amx_blocks.h"

#if defined(__x86_64__)
#include "backends/cpu/gemm/amx_gemm.h"
#include "backends/cpu/gemm/matrix_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace nnrt::cpu {
namespace {

// The tile instructions in plain code.
class PlainTiles {
 public:
  static void configure(const TileShapes& shapes) { shapes_ = shapes; }
  static void release() { shapes_ = TileShapes{.palette = 0}; }
  template <int kTile>
  static void load(const void* from, int64_t row_bytes) {
    for (int r = 0; r < shapes_.rows[kTile]; ++r)
      std::memcpy(tiles_[kTile][r], static_cast<const char*>(from) + r * row_bytes, shapes_.row_bytes[kTile]);
  }
  template <int kTile>
  static void store(void* to, int64_t row_bytes) {
    for (int r = 0; r < shapes_.rows[kTile]; ++r)
      std::memcpy(static_cast<char*>(to) + r * row_bytes, tiles_[kTile][r], shapes_.row_bytes[kTile]);
  }
  template <int kSums, int kRows, int kWeights>
  static void add_products() {
    expect_shapes(kSums, kRows, kWeights);
    for (int r = 0; r < shapes_.rows[kSums]; ++r)
      for (int lane = 0; lane < kInt32Lanes; ++lane) {
        int32_t sum = 0;
        std::memcpy(&sum, tiles_[kSums][r] + lane * kDotDepth, sizeof(sum));
        for (int k = 0; k < shapes_.row_bytes[kRows]; ++k)
          sum += tiles_[kRows][r][k] * tiles_[kWeights][k / kDotDepth][lane * kDotDepth + k % kDotDepth];
        std::memcpy(tiles_[kSums][r] + lane * kDotDepth, &sum, sizeof(sum));
      }
  }

  // The instruction flushes subnormal numbers.
  template <int kSums, int kRows, int kWeights>
  static void add_float_products() {
    expect_shapes(kSums, kRows, kWeights);
    for (int r = 0; r < shapes_.rows[kSums]; ++r)
      for (int lane = 0; lane < kInt32Lanes; ++lane) {
        float sum = 0;
        std::memcpy(&sum, tiles_[kSums][r] + lane * kDotDepth, sizeof(sum));
        for (int k = 0; k < shapes_.row_bytes[kRows]; k += 2)
          sum += bfloat(tiles_[kRows][r] + k) *
                 bfloat(tiles_[kWeights][k / kDotDepth] + lane * kDotDepth + k % kDotDepth);
        std::memcpy(tiles_[kSums][r] + lane * kDotDepth, &sum, sizeof(sum));
      }
  }

 private:
  static void expect_shapes(int sums, int rows, int weights) {
    ASSERT_EQ(shapes_.row_bytes[rows], shapes_.rows[weights] * kDotDepth);
    ASSERT_EQ(shapes_.rows[rows], shapes_.rows[sums]);
  }
  static float bfloat(const int8_t* from) {
    uint16_t bits = 0;
    std::memcpy(&bits, from, sizeof(bits));
    const float value = std::bit_cast<float>(uint32_t{bits} << 16);
    return std::fpclassify(value) == FP_SUBNORMAL ? 0.0f : value;
  }

  static inline thread_local TileShapes shapes_;
  static inline thread_local int8_t tiles_[8][16][64];
};

struct Case {
  int64_t rows, inner, columns, block_rows;
};

class AmxBlocksTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!has_int8_dot()) GTEST_SKIP() << "The epilogues need VNNI.";
    const auto [rows, inner, columns, block_rows] = GetParam();
    std::mt19937 random(7);
    std::uniform_int_distribution<int> bytes(-128, 127);
    a_.resize(size_t(rows * inner));
    b_.resize(size_t(columns * inner));
    for (int8_t& value : a_) value = int8_t(bytes(random));
    for (int8_t& value : b_) value = int8_t(bytes(random));
    for (int64_t i = 0; i < columns; ++i) offset_.push_back(int32_t(i * 1000 - 3));
    scale_.assign(size_t(columns), 1.0f / 2048);
    gemm_.rows = rows;
    gemm_.columns = columns;
    gemm_.tap_elements = gemm_.row_elements = inner;
    terms_.offset = offset_.data();
    terms_.scale = scale_.data();
    terms_.symmetric = terms_.ties_to_even = true;
    terms_.zero_point = 3;
  }

  template <typename To>
  std::vector<To> multiply() {
    const auto [rows, inner, columns, block_rows] = GetParam();
    ThreadPool pool(1);
    std::vector<int8_t> panels(size_t(amx_group_bytes(gemm_)) + 64);
    std::vector<int32_t> sums(size_t(columns), 0);
    pack_amx_weights(gemm_, b_.data(), pool, panels.data(), sums);
    for (int64_t column = 0; column < columns; ++column) {
      int32_t want = 0;
      for (int64_t k = 0; k < inner; ++k) want += b_[size_t(column * inner + k)];
      EXPECT_EQ(sums[size_t(column)], want);
    }
    const MatrixRows<int8_t> matrix{a_.data(), rows, inner, false};
    const TileRows tile_rows(matrix, gemm_);
    std::vector<const int8_t*> parts(size_t(rows), nullptr);
    const int64_t room = divide_up(rows, block_rows) * block_rows;
    std::vector<int8_t> memory(size_t(tile_rows.bytes(room)));
    tile_rows(0, rows, block_rows, parts.data(), memory.data());
    std::vector<To> got(size_t(rows * columns));
    const AmxProduct product{parts.data(),  rows, block_rows, TileGroups(row_quads(gemm_)),
                             panels.data(), 0,    columns};
    AmxBlocks<PlainTiles, Int8Form<To>>(product, {terms_, 0, got.data(), columns}).run();
    return got;
  }

  int32_t sum(int64_t row, int64_t column) const {
    int32_t sum = offset_[size_t(column)];
    for (int64_t k = 0; k < GetParam().inner; ++k)
      sum += a_[size_t(row * GetParam().inner + k)] * b_[size_t(column * GetParam().inner + k)];
    return sum;
  }

  std::vector<int8_t> a_, b_;
  std::vector<int32_t> offset_;
  std::vector<float> scale_;
  GemmProblem gemm_;
  Int8Epilogue terms_;
};

TEST_P(AmxBlocksTest, StoresSums) {
  const std::vector<int32_t> got = multiply<int32_t>();
  for (size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], sum(int64_t(i) / GetParam().columns, int64_t(i) % GetParam().columns)) << i;
}

TEST_P(AmxBlocksTest, StoresQuantizedValues) {
  const std::vector<int8_t> got = multiply<int8_t>();
  for (size_t i = 0; i < got.size(); ++i) {
    const int32_t want = sum(int64_t(i) / GetParam().columns, int64_t(i) % GetParam().columns);
    EXPECT_EQ(got[i], std::clamp(int(std::nearbyint(float(want) / 2048)) + 3, -128, 127)) << i;
  }
}

class SplitBlocksTest : public testing::TestWithParam<Case> {
 protected:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();

  void SetUp() override {
    if (vector_bytes() < 64) GTEST_SKIP() << "Rows are split by 64-byte vectors.";
    const auto [rows, inner, columns, block_rows] = GetParam();
    std::mt19937 random(7);
    std::normal_distribution<float> floats;
    a_.resize(size_t(rows * inner));
    b_.resize(size_t(columns * inner));
    for (float& value : a_) value = floats(random);
    for (float& value : b_) value = floats(random);
    // Whole vectors are read.
    for (int64_t i = 0; i < divide_up(columns, 32) * 32; ++i) bias_.push_back(float(i % 7) - 3);
    for (int64_t i = 0; i < rows * columns; ++i) other_.push_back(float(i % 5) - 2);
    gemm_.rows = rows;
    gemm_.columns = columns;
    gemm_.tap_elements = gemm_.row_elements = inner;
    epilogue_ = {bias_.data(), -kInfinity, kInfinity, nullptr, -kInfinity, kInfinity};
  }

  std::vector<float> multiply() {
    const auto [rows, inner, columns, block_rows] = GetParam();
    ThreadPool pool(1);
    std::vector<int8_t> panels(size_t(split_group_bytes(gemm_)) + 64);
    const bool is_finite = pack_split_weights(gemm_, b_.data(), pool, panels.data());
    const MatrixRows<float> matrix{a_.data(), rows, inner, false};
    const SplitRows split_rows(matrix, gemm_);
    std::vector<const int8_t*> parts(size_t(rows), nullptr);
    std::vector<int8_t> memory(size_t(split_rows.bytes(divide_up(rows, block_rows) * block_rows)));
    split_rows(0, rows, block_rows, parts.data(), memory.data());
    std::vector<float> got(size_t(rows * columns), -1.0f);
    const AmxProduct product{parts.data(),  rows, block_rows, TileGroups(row_pairs(gemm_)),
                             panels.data(), 0,    columns};
    AmxBlocks<PlainTiles, SplitForm>(product, {epilogue_, is_finite, got.data(), columns}).run();
    return got;
  }

  // The sum of products, with the bias, and of their magnitudes.
  std::pair<double, double> sums(size_t result) const {
    const auto inner = size_t(GetParam().inner), columns = size_t(GetParam().columns);
    double sum = bias_[result % columns], magnitudes = std::abs(sum);
    for (size_t k = 0; k < inner; ++k) {
      const double product =
          double(a_[result / columns * inner + k]) * double(b_[result % columns * inner + k]);
      sum += product;
      magnitudes += std::abs(product);
    }
    return {sum, magnitudes};
  }

  std::vector<float> a_, b_, bias_, other_;
  GemmProblem gemm_;
  F32Epilogue epilogue_;
};

TEST_P(SplitBlocksTest, SumAsExactlyAsHalves) {
  const std::vector<float> got = multiply();
  for (size_t i = 0; i < got.size(); ++i) {
    const auto [sum, magnitudes] = sums(i);
    EXPECT_NEAR(got[i], sum, 0x1p-14 * magnitudes) << i;
  }
}

TEST_P(SplitBlocksTest, ClampThenAddThenClamp) {
  epilogue_ = {bias_.data(), 0, 6, other_.data(), -1, 5};
  const std::vector<float> got = multiply();
  for (size_t i = 0; i < got.size(); ++i) {
    const auto [sum, magnitudes] = sums(i);
    const double want = std::clamp(std::clamp(sum, 0.0, 6.0) + double(other_[i]), -1.0, 5.0);
    EXPECT_NEAR(got[i], want, 0x1p-14 * magnitudes) << i;
  }
}

TEST_P(SplitBlocksTest, KeepInfinitiesAndNaNs) {
  const size_t inner = size_t(GetParam().inner), columns = size_t(GetParam().columns);
  a_[inner / 2] = kInfinity;
  a_.back() = std::numeric_limits<float>::quiet_NaN();
  b_.front() = -kInfinity;
  a_[0] = a_[0] == kInfinity ? kInfinity : 1;
  const std::vector<float> got = multiply();
  for (size_t i = 0; i < got.size(); ++i) {
    const auto [sum, magnitudes] = sums(i);
    if (std::isnan(sum)) {
      EXPECT_TRUE(std::isnan(got[i])) << i;
    } else if (std::isinf(sum)) {
      EXPECT_EQ(got[i], float(sum)) << i;
    } else {
      EXPECT_NEAR(got[i], sum, 0x1p-14 * magnitudes) << i;
    }
  }
  EXPECT_FALSE(std::isfinite(got[columns - 1]));
}

TEST_P(SplitBlocksTest, KeepTheLargestNumbers) {
  a_.assign(a_.size(), 0);
  for (size_t row = 0; row < a_.size(); row += size_t(GetParam().inner))
    a_[row] = std::numeric_limits<float>::max();
  b_.assign(b_.size(), 0.5f);
  const std::vector<float> got = multiply();
  for (const float result : got)
    EXPECT_NEAR(result, std::numeric_limits<float>::max() / 2, std::numeric_limits<float>::max() * 0x1p-14f);
}

// One to two tiles of rows and of columns, several blocks and panels, a last block of fewer rows; rows of
// less than a quad, of a tile, and of groups that overlap.
const Case kShapes[] = {{1, 4, 1, 1},      {16, 64, 16, 16},  {17, 3, 17, 17},
                        {32, 64, 32, 32},  {70, 68, 33, 32},  {25, 300, 64, 13},
                        {49, 132, 80, 25}, {5, 1028, 100, 5}, {33, 147, 1100, 17}};
INSTANTIATE_TEST_SUITE_P(Shapes, AmxBlocksTest, testing::ValuesIn(kShapes));
INSTANTIATE_TEST_SUITE_P(Shapes, SplitBlocksTest, testing::ValuesIn(kShapes));

}  // namespace
}  // namespace nnrt::cpu
#endif
