#include "backends/cpu/gemm/amx_blocks.h"

#if defined(__x86_64__)
#include "backends/cpu/gemm/amx_gemm.h"
#include "backends/cpu/gemm/matrix_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
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
    ASSERT_EQ(shapes_.row_bytes[kRows], shapes_.rows[kWeights] * kDotDepth);
    ASSERT_EQ(shapes_.rows[kRows], shapes_.rows[kSums]);
    for (int r = 0; r < shapes_.rows[kSums]; ++r)
      for (int lane = 0; lane < kInt32Lanes; ++lane) {
        int32_t sum = 0;
        std::memcpy(&sum, tiles_[kSums][r] + lane * kDotDepth, sizeof(sum));
        for (int k = 0; k < shapes_.row_bytes[kRows]; ++k)
          sum += tiles_[kRows][r][k] * tiles_[kWeights][k / kDotDepth][lane * kDotDepth + k % kDotDepth];
        std::memcpy(tiles_[kSums][r] + lane * kDotDepth, &sum, sizeof(sum));
      }
  }

 private:
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
    AmxBlocks<PlainTiles, To>(product, terms_, got.data(), columns).run();
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

// One to two tiles of rows and of columns, several blocks and panels, a last block of fewer rows; rows of
// less than a quad, of a tile, and of groups that overlap.
INSTANTIATE_TEST_SUITE_P(Shapes, AmxBlocksTest,
                         testing::Values(Case{1, 4, 1, 1}, Case{16, 64, 16, 16}, Case{17, 3, 17, 17},
                                         Case{32, 64, 32, 32}, Case{70, 68, 33, 32}, Case{25, 300, 64, 13},
                                         Case{49, 132, 80, 25}, Case{5, 1028, 100, 5},
                                         Case{33, 147, 1100, 17}));

}  // namespace
}  // namespace nnrt::cpu
#endif
