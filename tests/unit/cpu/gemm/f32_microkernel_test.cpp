#include "backends/cpu/gemm/f32_microkernel.h"

#include "backends/cpu/simd/panels.h"
#include "tests/support/eighths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace nnrt::cpu {
namespace {

using test::eighths;

constexpr float kUntouched = -77;

// A product of rows and [columns][inner] weights, with bias, clamps and a residual. Sums of eighths are
// exact.
struct Product {
  int64_t rows, columns, inner, stride;
  std::vector<float> left = eighths({rows, inner}, 1), right = eighths({columns, inner}, 2);
  std::vector<float> bias = eighths({columns + kMaxFloatColumns}, 3), other = eighths({rows, stride}, 4);
  bool adds = false;

  std::vector<float> expected() const {
    std::vector<float> result(size_t(rows * stride), kUntouched);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) {
        float sum = bias[size_t(c)];
        for (int64_t k = 0; k < inner; ++k) sum += left[size_t(r * inner + k)] * right[size_t(c * inner + k)];
        sum = std::clamp(sum, -1.0f, 2.0f);
        if (adds) sum = std::clamp(sum + other[size_t(r * stride + c)], 0.0f, 1.5f);
        result[size_t(r * stride + c)] = sum;
      }
    }
    return result;
  }

  std::vector<float> computed(int vector_bytes) const {
    return computed(vector_bytes, std::min<int64_t>(rows, f32_block(vector_bytes).rows));
  }
  std::vector<float> computed(int vector_bytes, int64_t block_rows) const {
    const F32Block block = f32_block(vector_bytes);
    const int64_t panels = (columns + block.columns - 1) / block.columns;
    std::vector<float> packed(size_t(panels * block.columns * inner));
    pack_columns(vector_bytes, {right.data(), columns, inner}, 0, panels, packed.data());
    F32Rows from;
    from.first = left.data();
    from.step = from.tap_floats = inner;
    from.count = rows;
    from.block_rows = block_rows;
    const F32Epilogue epilogue{bias.data(), -1, 2, adds ? other.data() : nullptr, 0, 1.5f};
    std::vector<float> result(size_t(rows * stride), kUntouched);
    multiply_f32(vector_bytes, from, packed.data(), columns, epilogue, result.data(), stride);
    return result;
  }
};

// From a fraction of a vector to several panels.
TEST(F32Microkernel, ComputesAnyNumberOfColumnsAtEveryWidth) {
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    for (int64_t columns = 1; columns <= 70; ++columns) {
      for (const int64_t rows : {1, 5, 8, 17}) {
        for (const int64_t inner : {1, 6}) {
          for (const bool adds : {false, true}) {
            Product product{rows, columns, inner, columns + 3};
            product.adds = adds;
            ASSERT_EQ(product.computed(bytes), product.expected())
                << bytes << " bytes, " << rows << " x " << inner << " x " << columns;
          }
        }
      }
    }
  }
}

// One row is multiplied with four panels at a time, then two, then one.
TEST(F32Microkernel, ComputesManyPanelsAtEveryWidth) {
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    const int64_t panel = f32_block(bytes).columns;
    for (int64_t panels = 1; panels <= 11; ++panels) {
      for (const int64_t more : {0, 1, 9}) {
        for (const bool adds : {false, true}) {
          Product product{1, panels * panel + more, 7, panels * panel + more};
          product.adds = adds;
          ASSERT_EQ(product.computed(bytes), product.expected())
              << bytes << " bytes, " << product.columns << " columns";
        }
      }
    }
  }
}

TEST(F32Microkernel, ComputesLongRowsInSpansAtEveryWidth) {
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2)
    for (const int64_t columns : {15, 70})
      for (const int64_t rows : {1, 6, 17})
        for (const int64_t inner : {3071, 3072, 6145})
          for (const bool adds : {false, true}) {
            Product product{rows, columns, inner, columns + 3};
            product.adds = adds;
            ASSERT_EQ(product.computed(bytes), product.expected())
                << bytes << " bytes, " << rows << " x " << inner << " x " << columns;
          }
}

TEST(F32Microkernel, RoundsRowsAlikeInBlocksOfAnyHeight) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2) {
    const F32Block size = f32_block(bytes);
    for (const int64_t columns : {size.lanes / 2, size.lanes, size.lanes * 3 / 2, size.columns, 70}) {
      Product product{kMaxFloatRows, columns, 37, columns};
      for (float& x : product.left) x = values(random);
      for (float& x : product.right) x = values(random);
      const std::vector<float> one_by_one = product.computed(bytes, 1);
      for (int rows = 2; rows <= (columns <= size.lanes ? kMaxFloatRows : size.rows); ++rows)
        EXPECT_EQ(product.computed(bytes, rows), one_by_one)
            << bytes << " bytes, " << rows << " rows, " << columns << " columns";
    }
  }
}

// Rows of several taps. A single block of rows is never split into spans, so it serves as the reference.
TEST(F32Microkernel, RoundsSpansLikeWholeRows) {
  struct Shape {
    int64_t taps, tap_floats;
  };
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int bytes = 16; bytes <= vector_bytes(); bytes *= 2)
    for (const auto& [taps, tap_floats] :
         {Shape{9, 512}, Shape{25, 130}, Shape{2, 3000}, Shape{1, 5000}, Shape{4, 2048}}) {
      const F32Block size = f32_block(bytes);
      const int64_t rows = 3 * size.rows - 1, columns = 2 * size.columns + 5, inner = taps * tap_floats;
      const auto drawn = [&](int64_t count) {
        std::vector<float> all;
        for (int64_t i = 0; i < count; ++i) all.push_back(values(random));
        return all;
      };
      const std::vector<float> left = drawn(rows * inner), right = drawn(columns * inner);
      const std::vector<float> bias = drawn(columns + kMaxFloatColumns);
      std::vector<float> packed(size_t(3 * size.columns * inner));
      pack_columns(bytes, {right.data(), columns, inner}, 0, 3, packed.data());
      std::vector<const float*> parts(size_t((rows + size.rows) * taps));
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t tap = 0; tap < taps; ++tap)
          parts[size_t(row / size.rows * size.rows * taps + tap * size.rows + row % size.rows)] =
              left.data() + row * inner + tap * tap_floats;
      F32Rows from;
      from.parts = parts.data();
      from.taps = taps;
      from.tap_floats = tap_floats;
      from.count = rows;
      from.block_rows = size.rows;
      F32Epilogue epilogue{bias.data(), -100, 100, nullptr, -100, 100};
      const std::vector<float> other = drawn(rows * columns);
      std::vector<float> at_once(other), in_place(other), alone(other);
      epilogue.other = other.data();
      multiply_f32(bytes, from, packed.data(), columns, epilogue, at_once.data(), columns);
      epilogue.other = in_place.data();
      multiply_f32(bytes, from, packed.data(), columns, epilogue, in_place.data(), columns);
      for (int64_t row = 0; row < rows; row += size.rows) {
        F32Rows block = from;
        block.parts += row * taps;
        block.count = std::min<int64_t>(size.rows, rows - row);
        epilogue.other = other.data() + row * columns;
        multiply_f32(bytes, block, packed.data(), columns, epilogue, alone.data() + row * columns, columns);
      }
      EXPECT_EQ(at_once, alone) << bytes << " bytes, " << taps << " x " << tap_floats;
      EXPECT_EQ(in_place, alone) << bytes << " bytes, " << taps << " x " << tap_floats;
    }
}

}  // namespace
}  // namespace nnrt::cpu
